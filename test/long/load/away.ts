import { parseArgs } from "node:util";
import { type OutageReport, throughOutage } from "../../e2e/faults/outageRun.js";
import { canRun, type OutageStage, outageStage } from "../../e2e/faults/outageStage.js";
import { runScript } from "../../e2e/runScript.js";
import { randomOf } from "../../fuzz/random.js";

/**
 * PostgreSQL or Redis goes away for 5 to 7 s in the middle of a job, of POSTs under keys and of sends to a webhook: `npx tsx test/long/load/away.ts --rounds 12` (POSTGRES_URL, REDIS_URL).
 * Exits with 1 if a row is missing or there twice, if something goes on later than 3 s after the return of the store, or if a request waits too long while Redis is away.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
    /** The highest figures, in milliseconds. */
    afterMs: { type: "string", default: "3000" },
    firstMs: { type: "string", default: "2000" },
    laterMs: { type: "string", default: "50" },
  },
});
if (!canRun) throw new Error("This needs POSTGRES_URL and REDIS_URL.");
const [rounds, afterMs, firstMs, laterMs] = [values.rounds, values.afterMs, values.firstMs, values.laterMs].map(Number) as [
  number,
  number,
  number,
  number,
];

const kinds = [
  { records: "PostgreSQL", store: "PostgreSQL", isHanging: false },
  { records: "Redis", store: "Redis", isHanging: false },
  { records: "Redis", store: "PostgreSQL", isHanging: false },
  { records: "Redis", store: "Redis", isHanging: true },
] as const;
const random = randomOf(Number(values.seed));
const stages: Partial<Record<"PostgreSQL" | "Redis", OutageStage>> = {};

await runScript(
  async () => {
    const faults: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const kind = kinds[round % kinds.length] ?? kinds[0];
      stages[kind.records] ??= await outageStage(kind.records);
      const awayMs = 5_000 + Math.floor(2_000 * random());
      const report = await throughOutage(stages[kind.records] as OutageStage, { ...kind, awayMs });
      const name = `${kind.store} ${kind.isHanging ? "hangs" : "is cut off"} for ${(awayMs / 1_000).toFixed(1)} s, keys in ${kind.records}`;
      console.log(`${name}: ${figures(report)}`);
      for (const fault of [...report.faults, ...tooLate(report, kind.store)]) {
        console.log(`  ${fault}`);
        faults.push(fault);
      }
    }
    console.log(`${rounds} outages, ${faults.length} faults`);
    return faults.length === 0;
  },
  async () => {
    for (const stage of Object.values(stages)) await stage.close();
  },
);

function figures({ stepMs, answerMs, sendMs, allSentMs, firstRefusalMs, laterRefusalsMs, posts }: OutageReport): string {
  const at = (share: number) => (laterRefusalsMs[Math.ceil(share * laterRefusalsMs.length) - 1] ?? 0).toFixed(0);
  return [
    `after the return the next step of the job in ${stepMs} ms, the last of the answers in ${answerMs} ms, the next send in ${sendMs} ms (all in ${allSentMs} ms)`,
    `first refusal ${firstRefusalMs.toFixed(0)} ms, ${laterRefusalsMs.length} later ones median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`,
    `${posts} POSTs`,
  ].join("; ");
}

function tooLate({ stepMs, answerMs, sendMs, firstRefusalMs, laterRefusalsMs }: OutageReport, store: "PostgreSQL" | "Redis"): readonly string[] {
  const faults: string[] = [];
  const judge = (what: string, ms: number, maxMs: number) => {
    if (!(ms <= maxMs)) faults.push(`${what} took ${Math.round(ms)} ms, more than ${maxMs} ms.`);
  };
  judge("The next step of the job", stepMs, afterMs);
  judge("An answer", answerMs, afterMs);
  judge("The next send", sendMs, afterMs);
  if (store === "PostgreSQL") return faults;
  judge("The first refusal", firstRefusalMs, firstMs);
  judge("99 of 100 later refusals", laterRefusalsMs[Math.ceil(0.99 * laterRefusalsMs.length) - 1] ?? Number.NaN, laterMs);
  // One request in half a second asks the store again.
  judge("The slowest later refusal", laterRefusalsMs.at(-1) ?? Number.NaN, firstMs);
  return faults;
}
