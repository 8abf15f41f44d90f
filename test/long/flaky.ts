import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

/**
 * Runs test files many times in random order beside a busy machine, and lists each test that failed at least once: `npx tsx test/long/flaky.ts --runs 20 --project quick`.
 * Paths select files as they do for vitest. Repeat the order of a run with `TEST_ORDER_SEED=<seed> npx vitest run …`. Exits with 1 if a test failed.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "20" },
    /** No run lasts longer than this in all; what is under way then is stopped and counts as not run. */
    minutes: { type: "string", default: "60" },
    project: { type: "string", multiple: true, default: [] },
    /** Processes of vitest; a worker a core unless given. */
    workers: { type: "string" },
    /** The seed of the first run; each other run has the next. */
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    /** Processes that each use half of a core. */
    load: { type: "string", default: String(availableParallelism()) },
  },
});

interface TestReport {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
  readonly meta?: { readonly skipped?: string };
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly TestReport[];
  }[];
}

interface Failure {
  readonly test: string;
  readonly seed: number;
  readonly message: string;
}

const deadline = performance.now() + Number(values.minutes) * 60_000;
const folder = mkdtempSync(join(tmpdir(), "restwright-flaky-"));
const children = new Set<ChildProcess>();
const failures: Failure[] = [];
const skips = new Map<string, Set<string>>();
let finishedRuns = 0;

for (const [signal, code] of [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(signal, () => {
    end();
    process.exit(code);
  });
}
for (let count = 0; count < Number(values.load); count++) children.add(fork(new URL("busyProcess.ts", import.meta.url)));
try {
  for (let run = 0; run < Number(values.runs) && performance.now() < deadline; run++) await runOnce(Number(values.seed) + run);
} finally {
  end();
}
say();

async function runOnce(seed: number): Promise<void> {
  const startedAt = performance.now();
  const files = {
    report: join(folder, `${seed}.json`),
    errors: join(folder, `${seed}.errors.json`),
    failures: join(folder, `${seed}.failures`),
  };
  const ended = await runVitest(seed, files);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const isStopped = performance.now() >= deadline;
  const report = isStopped ? undefined : readJson<Report>(files.report);
  const found = report === undefined ? failuresUntilStopped(files.failures, seed) : failuresIn(report, seed);
  for (const { message, stack, path = "no file known" } of readJson<{ message: string; stack?: string; path?: string }[]>(files.errors) ?? [])
    found.push({ test: `${shown(path)}: an error outside of tests`, seed, message: stack ?? message });
  if (!isStopped && (report === undefined || (ended.code !== 0 && found.length === 0)))
    found.push({
      test: "vitest",
      seed,
      message: `ended with ${ended.code ?? ended.signal}${report === undefined ? " without a report" : ""}:\n${ended.output}`,
    });
  failures.push(...found);
  if (!isStopped) finishedRuns += 1;
  console.log(
    `seed ${seed}: ${isStopped ? "stopped, as the time is over" : `${report?.testResults.length ?? 0} files`}, ${found.length} failed, ${seconds} s`,
  );
  for (const { test, message } of found) console.log(`  ${test}\n${beginning(message)}`);
}

async function runVitest(seed: number, files: { readonly report: string; readonly failures: string }) {
  const reporters = ["json", "./.ci/unhandledErrors.mjs", "./test/long/failuresFile.ts"];
  const options = [
    "--silent",
    ...reporters.map((reporter) => `--reporter=${reporter}`),
    `--outputFile.json=${files.report}`,
    ...values.project.map((name) => `--project=${name}`),
    ...(values.workers === undefined ? [] : [`--maxWorkers=${values.workers}`]),
    ...positionals,
  ];
  const vitest = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...options], {
    env: { ...process.env, TEST_ORDER_SEED: String(seed), TEST_REPORT: join(folder, String(seed)), FAILURES: files.failures },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.add(vitest);
  let output = "";
  vitest.stderr.on("data", (chunk) => {
    output = `${output}${chunk}`.slice(-2_000);
  });
  const timer = setTimeout(() => vitest.kill(), deadline - performance.now());
  const [code, signal] = await once(vitest, "close");
  clearTimeout(timer);
  children.delete(vitest);
  return { code, signal, output };
}

/** The failed tests of a report; also remembers which were skipped. */
function failuresIn({ testResults }: Report, seed: number): Failure[] {
  return testResults.flatMap(({ name, status, message = "", assertionResults }) => {
    const file = shown(name);
    for (const { fullName, status: ofTest, meta } of assertionResults) {
      if (ofTest === "passed" || ofTest === "failed") continue;
      const reason = meta?.skipped ?? "no reason given";
      skips.set(reason, (skips.get(reason) ?? new Set()).add(`${file}: ${fullName}`));
    }
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (status === "failed" && failed.length === 0) return [{ test: `${file}: the file itself`, seed, message }];
    return failed.map(({ fullName, failureMessages = [] }) => ({ test: `${file}: ${fullName}`, seed, message: failureMessages.join("\n") }));
  });
}

function failuresUntilStopped(file: string, seed: number): Failure[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const failed = lines.map((line): { file: string; fullName: string; message: string } => JSON.parse(line));
  return failed.map(({ file: path, fullName, message }) => ({ test: `${shown(path)}: ${fullName}`, seed, message }));
}

function say(): void {
  for (const [reason, tests] of skips) console.log(`\nskipped, ${reason}:\n${[...tests].map((test) => `  ${test}`).join("\n")}`);
  const byTest = new Map<string, Failure[]>();
  for (const failure of failures) byTest.set(failure.test, [...(byTest.get(failure.test) ?? []), failure]);
  console.log(`\n${byTest.size} tests failed at least once in ${finishedRuns} runs`);
  for (const [test, found] of byTest)
    console.log(
      `${found.length} of ${finishedRuns}: ${test} (seeds ${found.map(({ seed }) => seed).join(", ")})\n${beginning(found[0]?.message ?? "")}`,
    );
  process.exitCode = byTest.size > 0 || finishedRuns === 0 ? 1 : 0;
}

function end(): void {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

function shown(path: string): string {
  return relative(process.cwd(), path);
}

function beginning(message: string): string {
  const lines = message.split("\n", 6);
  return lines.map((line) => `    ${line.slice(0, 300)}`).join("\n");
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
