import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, type TestProjectInlineConfiguration, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type ProjectConfig, type TestSpecification } from "vitest/node";
import { entries, specifierOf } from "./test/rooms/rooms.js";
import { type Mark, markedFiles } from "./test/tools/marks.js";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const alias = [...entries].map(([entry, source]) => ({ find: new RegExp(`^${specifierOf(entry)}$`), replacement: at(source) }));

/** Test files by the mark on their first line; CONTRIBUTING.md says what the marks mean. */
const files = markedFiles(new URL(".", import.meta.url));
const marked = (mark: Mark) => files.flatMap((file) => (file.mark === mark ? [file.path] : []));
const [slow, long, isolated] = [marked("slow"), marked("long"), marked("isolated")];

// Each process of one run chooses the same sample of files and cases.
process.env["TEST_SEED"] ||= String(randomInt(1_000_000));
const quarter = Number(process.env["TEST_SEED"]) % 4;
const isGate = process.env["TEST_EXTENT"] === "gate";
/** The gate has a quarter of the long files, chosen by the seed of the run; all other runs have them all. */
const chosenLong = isGate ? long.filter((_, index) => index % 4 === quarter) : long;

/** Long files first: vitest begins with the longest texts, and would end with one worker that waits and one that has nothing to do. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => ["isolated", "long", "slow", "quick"].indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** The order of the files: long files first, or random for this seed, so that a test that depends on its neighbours is found (`test/long/flaky.ts`). */
const orderSeed = process.env["TEST_ORDER_SEED"];
const sequence = orderSeed === undefined ? { sequencer: LongFirst } : { shuffle: { files: true, tests: false }, seed: Number(orderSeed) };

/** Files that a run of the gate leaves out, by patterns between blanks. Vitest ignores its option `--exclude` in configurations with projects. */
const leftOut = process.env["TEST_LEFT_OUT"]?.split(" ") ?? [];
if (isGate) leftOut.push(...files.flatMap(({ path, onlyInFull }) => (onlyInFull ? [path] : [])));

/** A run of the gate gets a report in `$TEST_REPORT.json`, and in `$TEST_REPORT.errors.json` the errors that belong to no test. */
const report = process.env["TEST_REPORT"];
export const reporters: NonNullable<NonNullable<ViteUserConfig["test"]>["reporters"]> =
  report === undefined
    ? [["default", {}]]
    : [
        ["default", {}],
        ["./.ci/unhandledErrors.mjs", {}],
        ["json", { outputFile: `${report}.json` }],
      ];

const recorded = at("test/tools/recorder/service.ts");

/** Tests that import `createService` get one whose answers are compared with its OpenAPI document. */
const recorder: Plugin = {
  name: "recorder",
  enforce: "pre",
  resolveId: (source, importer) => (source === "./service.js" && importer?.endsWith("/src/engine/service/index.ts") ? recorded : undefined),
};

function project(test: ProjectConfig): TestProjectInlineConfiguration {
  return {
    plugins: [recorder],
    resolve: { alias },
    test: {
      globalSetup: "test/tools/compiled/setup.ts",
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // As long as `eventually` waits: by default a condition must hold within a second, which a busy machine can take for one answer.
      expect: { poll: { timeout: 30_000, interval: 10 } },
      // Tests that are marked as concurrent wait for time to pass.
      maxConcurrency: 20,
      setupFiles: ["test/tools/recorder/setup.ts"],
      ...test,
    },
  };
}

// All tests but those of test/package: what users install needs a registry and minutes, and has a configuration of its own.
export default defineConfig({
  test: {
    // Services without a logger write to stderr, and tests provoke faults: only the output of tests that fail is shown.
    silent: "passed-only",
    reporters,
    // Many tests wait for processes, sockets and databases, so cores would be idle.
    maxWorkers: availableParallelism() + 1,
    // Vitest takes a line that a service logs as its file ends for an error if the worker closes before the line has been passed on.
    onUnhandledError: ({ name, message }) => !(name === "EnvironmentTeardownError" && message.includes('"onUserConsoleLog"')),
    sequence,
    projects: [
      // Hundreds of files import the same sources, so they share processes.
      project({
        name: "quick",
        include: ["test/**/*.test.ts"],
        exclude: ["test/package/**", ...slow, ...long, ...isolated, ...leftOut],
        isolate: false,
      }),
      project({ name: "slow", include: slow, exclude: leftOut, isolate: false }),
      project({ name: "long", include: chosenLong, exclude: leftOut, isolate: false }),
      project({ name: "isolated", include: isolated, exclude: leftOut }),
      project({ name: "types", typecheck: { enabled: true, only: true, include: ["test/**/*.test-d.ts"] } }),
    ],
  },
});
