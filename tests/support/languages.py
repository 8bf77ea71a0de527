"""The pages of a small manual in several languages, each of a tree of its own."""

from __future__ import annotations

__all__ = ["LANGUAGES", "PAGES"]

LANGUAGES = {
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "ru": "russian",
    "ja": None,
}
"""The stemmer of each tree."""

PAGES = {
    ("de", "lampe.md"): """\
# Lampen

Die Lampe leuchtet, sobald der Schalter gedrückt wird. Eine alte Lampe flackert.

## Größe

Eine große Lampe braucht mehr Strom als eine kleine. Messen Sie zuerst die Höhe des Raumes.

## Lampen reinigen

Ziehen Sie den Stecker, bevor Sie den Schirm reinigen. Das Gehäuse muss trocken bleiben.
""",
    ("de", "strom.md"): """\
# Strom

Die Paketverwaltung der Straße versorgt Häuser mit Strom. Der Zähler steht im Keller.

## Sicherungen

Fällt eine Sicherung heraus, prüfen Sie alle Geräte im Stromkreis und schalten sie wieder ein.

## Ausfall

Bei einem Stromausfall hilft ein Notstromaggregat. Größere Störungen meldet das Störungstelefon.
""",
    ("fr", "sauvegarde.md"): """\
# Sauvegarde

Une sauvegarde protège vos fichiers contre les pannes. Choisissez un disque assez grand.

## Restaurer une sauvegarde

Pour restaurer les données, branchez le disque et ouvrez l’assistant. La restauration peut durer
plusieurs heures.

## Où garder les disques

Gardez une copie à l’extérieur de la maison, par exemple chez un ami ou à l’hôpital.
""",
    ("fr", "réseau.md"): """\
# Réseau

Le réseau relie les ordinateurs de tous les étages. Chaque élève reçoit une adresse.

## Mot de passe oublié

Demandez un nouveau mot de passe à l’accueil. Les mots de passe trop courts sont refusés.

## Pannes fréquentes

Si le câble est coupé, redémarrez le routeur, puis vérifiez les lumières vertes.
""",
    ("es", "cocina.md"): """\
# Cocina

La cocina se limpia cada mañana. Los niños no deben tocar los cuchillos afilados.

## Recetas de pan

Mezcle la harina con agua tibia y levadura. El pan necesita reposar dos horas antes del horno.

## Conservación

Guarde las verduras en un lugar frío. Las conservas abiertas duran una semana.
""",
    ("es", "viaje.md"): """\
# Viaje

El viaje comienza en la estación central. Compre los billetes con antelación.

## Equipaje perdido

Si pierde su equipaje, rellene el formulario y muestre el billete en la oficina.

## Cancelaciones

Las cancelaciones se aceptan hasta la víspera. La compañía devuelve la mitad del precio.
""",
    ("ru", "библиотека.md"): """\
# Библиотека

Библиотека открыта каждый день. Читатели берут книги на две недели.

## Продление книги

Чтобы продлить книгу, позвоните в читальный зал. Редкие книги домой не выдаются.

## Потерянные книги

За потерянную книгу читатель приносит такую же. Библиотекарь записывает новый номер.
""",
    ("ru", "погода.md"): """\
# Погода

Зимой дороги покрыты снегом. Осторожно ведите машину во время метели.

## Прогноз погоды

Прогноз обновляется каждые три часа. Температура измеряется на крыше здания.

## Наводнение

Если река поднимается, перенесите вещи на верхний этаж и ждите спасателей.
""",
    ("ja", "設定.md"): """\
# 設定

設定画面で言語と時刻を選びます。変更は再起動の後に有効になります。

## パスワードの変更

古いパスワードを入力してから、新しいパスワードを二回入力してください。

## バックアップ

毎晩、自動的にバックアップが作成されます。復元するには管理者に連絡してください。
""",
    ("ja", "印刷.md"): """\
# 印刷

文書を印刷する前に、用紙の大きさを確認します。両面印刷も選べます。

## 紙詰まり

紙詰まりが起きたら、電源を切ってから背面のカバーを開けてください。

## インクの交換

インクが少なくなると警告が表示されます。カートリッジは一色ずつ交換できます。
""",
}
"""The text of each page by tree and path."""
