import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.AttributeType.Hierarchy.DefaultHierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.Data.DefaultData;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

/**
 * ARX in a virtual machine of its own: {@code java -cp JARS ArxChild.java FOLDER K L levels|cells}.
 *
 * FOLDER holds {@code rows.tsv} (a line of names, the last one the sensitive column, then the rows) and a
 * {@code NAME.tsv} per quasi-identifier (the labels from leaf to root, one leaf a line). With {@code levels} one
 * level per column is chosen and nothing left out; with {@code cells} ARX recodes rows that it would
 * leave out again, as its examples of local recoding do. Writes JSON: {@code groups} (rows with equal
 * cells), {@code levels}, {@code seconds} of the processor, {@code mega} (memory beyond what was loaded).
 */
public final class ArxChild {
    private ArxChild() {}

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        int k = Integer.parseInt(args[1]);
        int l = Integer.parseInt(args[2]);
        boolean cells = args[3].equals("cells");

        List<String> lines = Files.readAllLines(folder.resolve("rows.tsv"), StandardCharsets.UTF_8);
        String[] names = lines.get(0).split("\t");
        int sensitive = names.length - 1;
        DefaultData data = Data.create();
        lines.forEach(line -> data.add(line.split("\t")));
        for (int a = 0; a < sensitive; a++) {
            DefaultHierarchy hierarchy = Hierarchy.create();
            Files.readAllLines(folder.resolve(names[a] + ".tsv"), StandardCharsets.UTF_8)
                    .forEach(line -> hierarchy.add(line.split("\t")));
            data.getDefinition().setAttributeType(names[a], AttributeType.QUASI_IDENTIFYING_ATTRIBUTE);
            data.getDefinition().setHierarchy(names[a], hierarchy);
        }
        data.getDefinition().setAttributeType(names[sensitive], AttributeType.SENSITIVE_ATTRIBUTE);

        ARXConfiguration asked = ARXConfiguration.create();
        asked.addPrivacyModel(new KAnonymity(k));
        asked.addPrivacyModel(new DistinctLDiversity(names[sensitive], l));
        asked.setSuppressionLimit(cells ? 1d : 0d);
        asked.setQualityModel(Metric.createLossMetric(cells ? 0d : 0.5d, AggregateFunction.ARITHMETIC_MEAN));

        double before = peak();
        double began = seconds();
        ARXResult result = new ARXAnonymizer().anonymize(data, asked);
        DataHandle made = result.getOutput();
        if (made == null) {
            System.err.println("ARX found no release");
            System.exit(1);
        }
        if (cells) {
            result.optimizeIterativeFast(made, 1d / (lines.size() - 1));
        }
        double took = seconds() - began;

        Map<String, List<Integer>> groups = new LinkedHashMap<>();
        for (int row = 0; row < made.getNumRows(); row++) {
            if (!made.isOutlier(row)) {
                StringBuilder published = new StringBuilder();
                for (int a = 0; a < sensitive; a++) {
                    published.append(made.getValue(row, a)).append('\t');
                }
                groups.computeIfAbsent(published.toString(), key -> new ArrayList<>()).add(row);
            }
        }
        List<String> levels = new ArrayList<>();
        for (int a = 0; !cells && a < sensitive; a++) {
            levels.add("\"" + names[a] + "\": " + made.getGeneralization(names[a]));
        }
        System.out.println(
                "{\"groups\": " + groups.values()
                        + ", \"levels\": {" + levels.stream().collect(Collectors.joining(", "))
                        + "}, \"seconds\": " + took
                        + ", \"mega\": " + (peak() - before) + "}");
    }

    /** Seconds of the processor that this program has used, by all of its threads. */
    private static double seconds() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1e9;
    }

    /** Most memory this program had, in MB; 0 where the system does not tell. */
    private static double peak() throws Exception {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
                .findFirst()
                .orElse(0);
    }
}
