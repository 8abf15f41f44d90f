// @slow

import pg from "pg";
import { expect, test } from "vitest";
import { openEngineTime } from "../../../bench/tools/engineTime.js";
import { makePlace } from "../../../bench/tools/places.js";

const work = "select count(*) from generate_series(1, 300000)";

test.skipIf(process.env["POSTGRES_URL"] === undefined || process.platform !== "linux")(
  "the CPU time of a database is that of its own connections, also of those that have ended",
  async () => {
    const places = [await makePlace("postgres", "engine_time_busy"), await makePlace("postgres", "engine_time_idle")] as const;
    const [busy, idle] = [await openEngineTime(places[0].location), await openEngineTime(places[1].location)];
    try {
      const run = async () => {
        const pool = new pg.Pool({ connectionString: places[0].location, max: 4 });
        const client = await pool.connect();
        await Promise.all([pool.query(work), pool.query(work), client.query(work)]);
        client.release();
        return pool;
      };
      let pool: pg.Pool | undefined;
      let other: number | undefined;
      const spent = await busy?.spentBy(async () => {
        other = await idle?.spentBy(async () => {
          pool = await run();
        });
      });
      await pool?.end();
      // A server on another machine has none.
      if (spent === undefined) return;
      expect(spent).toBeGreaterThan(10_000);
      expect(other).toBe(0);
      const before = await busy?.spentBy(async () => undefined);
      expect(before).toBe(0);
    } finally {
      await Promise.all([busy?.close(), idle?.close()]);
      for (const place of places) await place.remove();
    }
  },
);
