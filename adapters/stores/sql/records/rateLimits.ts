import { createHash } from "node:crypto";
import { describeTaken, type RateLimitStore, type RateLimitTake } from "../../../../src/ground/storage/rateLimits.js";
import { Bindings } from "../engine/bindings.js";
import { instant } from "../engine/clock.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlStatement } from "../engine/executor.js";
import { run, type Session } from "../engine/session.js";
import { migrate } from "../schema/migrate.js";

const purgeEveryMs = 60_000;
const purgedAtOnce = 1_000;

/** Rate limits in the database of the session. */
export function sqlRateLimits(session: Session): RateLimitStore {
  const { dialect, executor } = session;
  // Under a burst the connections of the pool are taken by what the limit is to protect.
  const side = { executor: executor.side ?? executor };
  let purgeAtMs = performance.now() + purgeEveryMs;
  const purge = async () => {
    for (;;) if ((await run(session, purgeLimits(dialect))).affected < purgedAtOnce) return;
  };
  return {
    async take(key, take) {
      const { rows } = await run(side, takeStatement(dialect, idOf(key, take), take));
      if (performance.now() >= purgeAtMs) {
        purgeAtMs = performance.now() + purgeEveryMs;
        // A failed purge is repeated by the next one.
        purge().catch(() => undefined);
      }
      const [row] = rows;
      if (row === undefined) throw new Error("Counting a rate limit returned no row.");
      const step = { allowed: Number(row["allowed"]) === 1, used: Number(row["used"]), atMs: Number(row["at"]) };
      return describeTaken(step, take, Number(row["now"]));
    },
    migrate: () => migrate(session),
  };
}

/** Of a fixed length, and without characters that a database refuses. */
function idOf(key: string, { name, algorithm }: RateLimitTake): string {
  return createHash("sha256").update(`${algorithm} ${name} ${key}`).digest("base64url");
}

/** One step of the limit. A conflict locks the row, so that concurrent steps follow one another. */
function takeStatement(dialect: Dialect, id: string, take: RateLimitTake): SqlStatement {
  const bindings = new Bindings(dialect);
  const nowMs = dialect.now;
  const real = (value: number) => `cast(${bindings.bind(value)} as double precision)`;
  const text =
    `insert into ${dialect.place.own.rateLimits} as held ("id", "used", "at", "ends", "allowed") ` +
    `select ${bindings.bind(id)}, ${real(take.cost)}, clock.now, clock.now + cast(${bindings.bind(take.windowMs)} as bigint), 1 ` +
    // Without the "where", SQLite would parse "on conflict" as the condition of a join.
    `from (select ${nowMs} as now) as clock where true on conflict ("id") do update set ${assignments(take, real).join(", ")} ` +
    `returning "used", "at", "allowed", ${nowMs} as "now"`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

/** The same as `stepRateLimit`: `held` is the state before, `excluded` that of a first call. */
function assignments({ limit, windowMs, algorithm }: RateLimitTake, real: (value: number) => string): readonly string[] {
  // A row that is a window ahead is of a clock that was set back.
  const isOver = `(held."ends" <= excluded."at" or held."at" >= excluded."ends")`;
  const elapsed = `(case when excluded."at" > held."at" then excluded."at" - held."at" else 0 end)`;
  const isEven = algorithm === "gcra";
  const left = () => `(held."used" - ${elapsed} * ${real(limit / windowMs)})`;
  // The text is written from left to right, as its values are bound.
  const used = () => (isEven ? `(case when ${left()} > 0 then ${left()} else 0 end)` : `held."used"`);
  const fits = () => `${used()} + excluded."used" <= ${real(limit + 0.000001)}`;
  const begin = isEven ? `case when excluded."at" > held."at" then excluded."at" else held."at" end` : `held."at"`;
  const time = (name: "at" | "ends") => {
    if (!isEven) return `case when ${isOver} then excluded."${name}" else held."${name}" end`;
    const later = name === "at" ? begin : `case when excluded."ends" > held."ends" then excluded."ends" else held."ends" end`;
    return `case when ${isOver} then excluded."${name}" when ${fits()} then ${later} else held."${name}" end`;
  };
  return [
    `"allowed" = case when ${isOver} or ${fits()} then 1 else 0 end`,
    `"used" = case when ${isOver} then excluded."used" when ${fits()} then ${used()} + excluded."used" else held."used" end`,
    `"at" = ${time("at")}`,
    `"ends" = ${time("ends")}`,
  ];
}

/** Deletes limits that are whole again. */
function purgeLimits(dialect: Dialect): SqlStatement {
  const bindings = new Bindings(dialect);
  const over = `"ends" <= ${instant(dialect)}`;
  const some = `select "id" from ${dialect.place.own.rateLimits} where ${over} limit ${bindings.bind(purgedAtOnce)}`;
  return {
    text: `delete from ${dialect.place.own.rateLimits} where "id" in (${some}) and ${over}`,
    values: bindings.values,
    writes: true,
    returns: "none",
  };
}
