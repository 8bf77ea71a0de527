import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
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
        "org.opensearch.transport.Netty4Plugin",
        "org.opensearch.analysis.common.CommonAnalysisModulePlugin",
        "org.opensearch.painless.PainlessModulePlugin",
        "org.opensearch.index.reindex.ReindexModulePlugin",
        "org.opensearch.knn.plugin.KNNPlugin",
    };

    /** What a node takes for a plugin on the class path: OpenSearch 2 its class. */
    private static Object plugin(Class<?> type) {
        String name = type.getName();
        return Version.CURRENT.major < 3
            ? type
            : new PluginInfo(name, "", "1", Version.CURRENT, "21", name, null, List.of(), false);
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
        List<Object> plugins = new ArrayList<>();
        for (String name : PLUGINS) {
            try {
                plugins.add(plugin(Class.forName(name)));
            } catch (ClassNotFoundException absent) {
                // another version has it, or an index without vectors wants it not
            }
        }
        Constructor<Node> constructor =
            Node.class.getDeclaredConstructor(Environment.class, Collection.class, boolean.class);
        constructor.setAccessible(true);
        Node node = constructor.newInstance(environment, plugins, true);
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
