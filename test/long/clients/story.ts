import type { Exchange } from "./recorder.js";

/**
 * What each client does with the shop: it creates a user and two orders of 12.5 and 5, lists the orders of at least 10 by two keys of `sort`, changes one by a current and by a stale
 * `If-Match`, uploads a file, and sends a batch. Whether it did is seen at the shop: no client judges itself.
 */
export const steps = ["create", "list", "patch", "stale", "upload", "batch"] as const;
export type Step = (typeof steps)[number];

/** The steps that the shop has seen as they should be. */
export function stepsOf(exchanges: readonly Exchange[]): readonly Step[] {
  return steps.filter((step) => isDone[step](exchanges));
}

/** The answers that are no part of the story: what the client sent in a form that the shop refuses. */
export function refusalsOf(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges
    .filter(({ status }) => status >= 400 && status !== 412)
    .map(({ method, path, query, status, answer }) => `${method} ${path}?${decodeURIComponent(String(query))}: ${status} ${answer.slice(0, 300)}`);
}

type Check = (exchanges: readonly Exchange[]) => boolean;

const some =
  (method: string, path: RegExp, status: number, holds: (exchange: Exchange) => boolean = () => true): Check =>
  (exchanges) =>
    exchanges.some((exchange) => exchange.method === method && path.test(exchange.path) && exchange.status === status && holds(exchange));

const isDone: Readonly<Record<Step, Check>> = {
  create: (exchanges) => some("POST", /^\/users$/, 201)(exchanges) && totalsOf(exchanges).length >= 2,
  list: (exchanges) => some("GET", /^\/orders$/, 200, (exchange) => isFiltered(exchange, totalsOf(exchanges)))(exchanges),
  patch: some("PATCH", /^\/orders\/\d+$/, 200, ({ headers }) => headers["if-match"] !== undefined),
  stale: some("PATCH", /^\/orders\/\d+$/, 412, ({ headers }) => headers["if-match"] !== undefined),
  upload: some("POST", /^\/(?:avatars|uploads)$/, 201, ({ headers }) => headers["content-type"]?.startsWith("multipart/form-data") === true),
  batch: some("POST", /^\/batch$/, 200, ({ answer }) => JSON.parse(answer).results?.length >= 2),
};

/** Totals of the orders that were created one by one. */
function totalsOf(exchanges: readonly Exchange[]): readonly number[] {
  const created = exchanges.filter(({ method, path, status }) => method === "POST" && path === "/orders" && status === 201);
  return created.map(({ answer }) => JSON.parse(answer).total as number);
}

/** Both keys of `sort` arrived, and the rows are those of the orders that the filter leaves. */
function isFiltered({ query, answer }: Exchange, totals: readonly number[]): boolean {
  const keys = [...query].filter(([name]) => /^sort(?:\[\])?$/.test(name)).flatMap(([, value]) => value.split(","));
  const listed = (JSON.parse(answer).data as readonly { readonly total: number }[]).map(({ total }) => total);
  const expected = totals.filter((total) => total >= 10);
  return keys.includes("-createdAt") && keys.includes("id") && listed.join() === expected.join() && expected.length < totals.length;
}

/**
 * Compares what the shop has seen with what is known of the tool.
 *
 * @throws {Error} if a step was not done, or one was that the tool is said to lack
 */
export function expectStory(exchanges: readonly Exchange[], lacks: Partial<Readonly<Record<Step, string>>> = {}): void {
  const done = stepsOf(exchanges);
  const missing = steps.filter((step) => lacks[step] === undefined && !done.includes(step));
  if (missing.length > 0) throw new Error(`The shop did not see: ${missing.join(", ")}. It refused:\n${refusalsOf(exchanges).join("\n")}`);
  const better = steps.filter((step) => lacks[step] !== undefined && done.includes(step));
  if (better.length > 0) throw new Error(`The shop saw steps that the tool is said to lack: ${better.join(", ")}.`);
}
