import pg from "pg";
import type { Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { describe, expect, onTestFinished, test } from "vitest";
import { sqliteExecutor } from "../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { type Engine, needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { hear, heard } from "./importHeard.js";
import { importService, importSide, ndjson } from "./importStage.js";

interface RuledStore {
  readonly name: string;
  readonly engines: readonly Engine[];
  /** A storage that refuses people who are called Bad, by a rule of the database's own that is there once `rule` has run. */
  open(): Promise<{ readonly storage: Storage; rule(): Promise<unknown> }>;
}

const ruledStores: readonly RuledStore[] = [
  {
    name: "SQLite",
    engines: [],
    async open() {
      const executor = sqliteExecutor({ path: ":memory:" });
      const text = `create trigger "bad" before insert on "people" when new."name" like 'Bad%' begin select raise(abort, 'No bad people.'); end`;
      return { storage: sqlStorage(executor), rule: () => executor.query({ text, values: [], writes: true, returns: "none" }) };
    },
  },
  {
    name: "PostgreSQL (set POSTGRES_URL to run)",
    engines: ["postgres"],
    async open() {
      const schema = ownSchema();
      const connectionString = await schema.create();
      onTestFinished(() => schema.drop());
      const storage = postgresStorage({ connectionString });
      const rule = async () => {
        const client = new pg.Client({ connectionString });
        await client.connect();
        await client.query(`alter table "people" add check ("name" not like 'Bad%')`);
        await client.end();
      };
      return { storage, rule };
    },
  },
];

for (const { name, engines, open } of ruledStores)
  describe(`rules of the database itself on ${name}`, needs(...engines), () => {
    async function ruled(options = heard) {
      const { storage, rule } = await open();
      const service = importService(storage, options);
      onTestFinished(() => service.close());
      await service.start();
      await rule();
      const side = importSide(service, storage);
      return { ...side, heard: options === heard ? await hear(side, storage) : async () => [] };
    }

    const named = (...names: readonly string[]) => ndjson(...names.map((name, index) => ({ email: `p${index}@x.test`, name })));

    test.each(["outcomeNow", "outcomeLater"] as const)("leave out the rows that break them, and no others (%s)", async (way) => {
      const side = await ruled();
      const names = Array.from({ length: 60 }, (_, index) => (index % 13 === 5 ? "Bad" : "Good"));
      const bad = names.flatMap((name, index) => (name === "Bad" ? [[index + 1, index + 1, "CONFLICT"]] : []));
      const { counts, errors } = await side[way]("", named(...names));
      expect([counts, errors]).toEqual([[55, 0, 0, 5], bad]);
      // What was tried together with them and taken back is told once.
      expect(await side.heard()).toEqual(names.flatMap((name, index) => (name === "Bad" ? [] : [`p${index}@x.test`])).sort());
      const merged = await side[way]("mode=upsert&key=email", named(...names));
      expect(merged.counts).toEqual([0, 55, 0, 5]);
      // Nobody hears of rows: they are inserted in another way.
      expect((await (await ruled({}))[way]("", named(...names))).errors).toEqual(bad);
    });

    test.each(["outcomeNow", "outcomeLater"] as const)("leave out a single row, too (%s)", async (way) => {
      const side = await ruled();
      expect((await side[way]("", named("Bad"))).errors).toEqual([[1, 1, "CONFLICT"]]);
      const all = await side[way]("onError=stop", named("Good", "Bad", "Good"));
      expect([all.code, all.row, await side.rows(), await side.heard()]).toEqual(["IMPORT_REJECTED", 2, [], []]);
    });
  });
