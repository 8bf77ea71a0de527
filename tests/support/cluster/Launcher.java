import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;

/** One node of a cluster for tests: `Launcher HOME NAME=VALUE…`, ended by SIGTERM, and with who started it. */
public class Launcher {
    private static final String[] PLUGINS = {
        "org.opensearch.transport.Netty4ModulePlugin",
        "org.opensearch.analysis.common.CommonAnalysisModulePlugin",
        "org.opensearch.painless.PainlessModulePlugin",
        "org.opensearch.index.reindex.ReindexModulePlugin",
        "org.opensearch.knn.plugin.KNNPlugin",
    };

    private static class TestNode extends Node {
        TestNode(Environment environment, List<PluginInfo> plugins) {
            super(environment, plugins, true);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Settings.Builder settings = Settings.builder().put("path.home", home.toString());
        for (int at = 1; at < arguments.length; at++) {
            String[] pair = arguments[at].split("=", 2);
            if (pair[1].contains(",")) {
                settings.putList(pair[0], pair[1].split(","));
            } else {
                settings.put(pair[0], pair[1]);
            }
        }
        Environment environment = InternalSettingsPreparer.prepareEnvironment(
            settings.build(), Collections.emptyMap(), null, () -> "node");
        List<PluginInfo> plugins = new ArrayList<>();
        for (String name : PLUGINS) {
            plugins.add(new PluginInfo(name, "", "1", Version.CURRENT, "21", name, null, List.of(), false));
        }
        Node node = new TestNode(environment, plugins);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception failure) {
                failure.printStackTrace();
            }
        }));
        node.start();
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(0);
    }
}
