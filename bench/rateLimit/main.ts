import { type Capability, type Host, type Operation, type Principal, ProblemError, type RequestCount } from "restwright";
import { type RateLimitPolicy, rateLimit } from "restwright/rate-limit";
import { silentLogger } from "../../src/engine/operation/logging/logger.js";
import { systemClock } from "../../src/ground/clock/clock.js";
import { systemTimers } from "../../src/ground/http/timers.js";
import { type Entry, runRaces } from "../tools/runRaces.js";
import { LimitByHand } from "./byHand.js";

const minute: RateLimitPolicy = { name: "minute", limit: 1_000_000, windowMs: 60_000 };
const operation: Operation = { name: "users.read", method: "GET", run: () => Promise.reject(new Error("It is not run.")) };
const principals = Array.from({ length: 10_000 }, (_, index): Principal => ({ id: `user${index}`, tenant: "a" }));

/** What a service has of the capability: the count of one request. */
function counterOf(policies: readonly RateLimitPolicy[]): NonNullable<ReturnType<Capability["open"]>["limitRate"]> {
  const environment = { clock: systemClock, timers: systemTimers, logger: silentLogger, trustedHops: 0 };
  const { limitRate } = rateLimit({ policies }).open({ environment } as unknown as Host);
  if (limitRate === undefined) throw new Error("The capability counts nothing.");
  return limitRate;
}

function request(limitRate: (address: string) => RequestCount, turn: number): Record<string, string | readonly string[]> {
  const count = limitRate(`192.0.2.${turn & 255}`);
  const headers = {};
  const before = count.beforeAuthentication(operation);
  const after = count.afterAuthentication(operation, principals[turn % principals.length]);
  if (before !== undefined || after !== undefined) throw new Error("Counting in memory must not wait.");
  count.addHeaders(headers);
  return headers;
}

const one = counterOf([minute]);
const two = counterOf([minute, { ...minute, name: "address", by: "address" }]);
const even = counterOf([{ ...minute, algorithm: "gcra" }]);
const byHand = new LimitByHand(minute.limit as number, minute.windowMs);

const entry: Entry = {
  title: "counting a request of one of 10,000 principals",
  runners: [
    { name: "by hand", run: (turn) => countByHand(turn) },
    { name: "restwright, fixed window", run: (turn) => request(one, turn) },
    { name: "restwright, GCRA", run: (turn) => request(even, turn) },
    { name: "restwright, by principal and by address", run: (turn) => request(two, turn) },
  ],
  comparisons: [
    { one: "restwright, fixed window", other: "by hand" },
    { one: "restwright, by principal and by address", other: "by hand" },
  ],
};

function countByHand(turn: number): Record<string, string> {
  const headers = {};
  if (!byHand.take(principals[turn % principals.length]?.id ?? "", headers)) throw new Error("The limit is never reached here.");
  return headers;
}

function requireSense(): void {
  const strict = counterOf([{ ...minute, limit: 1 }]);
  request(strict, 0);
  try {
    request(strict, 0);
  } catch (error) {
    if (error instanceof ProblemError && error.code === "RATE_LIMITED") return;
    throw error;
  }
  throw new Error("A limit of 1 allowed two requests.");
}

requireSense();
runRaces([entry]);
