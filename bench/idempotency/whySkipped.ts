import type { Contest } from "./contest.js";

/** What is missing for a contest; `undefined` where nothing is. */
export function whySkipped(contest: Contest): string | undefined {
  const needsPostgres = contest === "postgres" || contest === "redis";
  if (needsPostgres && process.env["POSTGRES_URL"] === undefined) return "PostgreSQL is measured where POSTGRES_URL names a server.";
  if (contest === "redis" && process.env["REDIS_URL"] === undefined) return "Redis is measured where REDIS_URL names a server.";
  return undefined;
}
