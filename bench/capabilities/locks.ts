import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import pg from "pg";
import { createService, defineResource } from "restwright";
import { hooks } from "restwright/hooks";
import { postgresStorage } from "restwright/postgres";
import { z } from "zod";

/**
 * Creates a second of a rule that counts other rows on PostgreSQL, asked by 32 writers at once over 8 keys: without a lock, with `tx.lock`, and with `isolation: "serializable"`. Time by the
 * clock, because what is measured is waiting. `POSTGRES_URL=… npx tsx bench/capabilities/locks.ts --rounds 5 --writes 1600`
 */
const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" }, writes: { type: "string", default: "1600" } } });
const writers = 32;
const keys = 8;
const url = process.env["POSTGRES_URL"];
if (url === undefined) throw new Error("Set POSTGRES_URL to a database of tests.");

const kinds = ["without a lock", "tx.lock", "serializable"] as const;
type Kind = (typeof kinds)[number];

const schema = `bench_${randomUUID().replaceAll("-", "")}`;
const admin = new pg.Client({ connectionString: url });
await admin.connect();
await admin.query(`create schema ${schema}`);
const address = new URL(url);
address.searchParams.set("options", `-c search_path=${schema}`);
const pool = new pg.Pool({ connectionString: address.href, max: writers });

async function open(kind: Kind) {
  const seats = defineResource(`seats_${kinds.indexOf(kind)}`, {
    schema: z.object({ id: z.int(), showId: z.int() }),
    generated: { id: "increment" },
    index: ["showId"],
    hooks: {
      ...(kind === "serializable" ? { isolation: "serializable" } : {}),
      concurrent: true,
      async beforeWrite({ next, tx }) {
        if (next === undefined) return;
        if (kind === "tx.lock") await tx.lock("show", next.showId);
        await tx.of(seats).list({ where: { showId: next.showId }, perPage: 1, count: "none" });
      },
    },
  });
  const service = createService({
    resources: [seats],
    storage: postgresStorage({ pool }),
    logger: false,
    secrets: ["a secret that is long enough for it"],
    use: [hooks()],
  });
  await service.start();
  const calls = service.asSystem().of(seats);
  return {
    /** Milliseconds, and how many were refused after their retries. */
    async run(writes: number): Promise<{ readonly ms: number; readonly refused: number }> {
      let [sent, refused] = [0, 0];
      const begun = performance.now();
      const writer = async () => {
        while (sent < writes) {
          sent += 1;
          await calls.create({ showId: sent % keys }).catch(() => {
            refused += 1;
          });
        }
      };
      await Promise.all(Array.from({ length: writers }, writer));
      return { ms: performance.now() - begun, refused };
    },
    close: () => service.close(),
  };
}

const opened = new Map<Kind, Awaited<ReturnType<typeof open>>>();
for (const kind of kinds) opened.set(kind, await open(kind));
const writes = Number(values.writes);
const ratios = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
for (let round = 0; round <= Number(values.rounds); round++) {
  const took = new Map<Kind, { readonly ms: number; readonly refused: number }>();
  for (const kind of kinds) took.set(kind, (await opened.get(kind)?.run(writes)) ?? { ms: Number.NaN, refused: 0 });
  // The first round warms up.
  if (round === 0) continue;
  const plain = took.get("without a lock")?.ms ?? Number.NaN;
  for (const [kind, { ms, refused }] of took) {
    ratios.get(kind)?.push(plain / ms);
    process.stdout.write(`${kind}: ${Math.round((writes / ms) * 1_000)} writes a second, ${refused} refused\n`);
  }
}
for (const [kind, all] of ratios) {
  const sorted = all.toSorted((left, right) => left - right);
  process.stdout.write(`${kind}: ${(sorted[sorted.length >>> 1] ?? Number.NaN).toFixed(2)} of the throughput without a lock\n`);
}
for (const each of opened.values()) await each.close();
await pool.end();
await admin.query(`drop schema ${schema} cascade`);
await admin.end();
