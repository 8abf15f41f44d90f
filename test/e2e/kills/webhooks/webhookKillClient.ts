import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { integer, type Random } from "../../../fuzz/random.js";

/** Where a server listens now; after a kill it is another one. */
export type Origin = () => string;

/** What a client knows of its writes. */
export interface Ledger {
  /** Names of rows whose creation was acknowledged, each with the highest revision that was. */
  readonly acknowledged: Map<string, number>;
  requests: number;
  unanswered: number;
  /** Batches that were rolled back, for all that the client knows. */
  rolledBack: number;
}

export const newLedger = (): Ledger => ({ acknowledged: new Map(), requests: 0, unanswered: 0, rolledBack: 0 });

/** Names of rows that must never be there. */
export const neverPrefix = "never-";
/** The name that breaks a batch. */
export const taken = "taken";

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each write looks at its own members
  readonly json: any;
}

/** One request; `undefined` where nobody knows what came of it, `"refused"` where there was no server. */
async function ask(
  origin: Origin,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer | "refused" | undefined> {
  try {
    const signal = AbortSignal.timeout(10_000);
    const init = { method, signal, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
    const response = await fetch(origin() + path, init);
    return { status: response.status, json: await response.json() };
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    return cause?.code === "ECONNREFUSED" ? "refused" : undefined;
  }
}

/** Writes as clients do, one thing after another, until told to stop. */
export async function write(origin: Origin, ledger: Ledger, random: Random, state: { readonly done: boolean }): Promise<void> {
  const counted: Ask = async (...request) => {
    const answer = await ask(origin, ...request);
    if (answer === "refused") {
      // Until the server is there again.
      await sleep(30);
      return undefined;
    }
    ledger.requests += 1;
    if (answer === undefined) ledger.unanswered += 1;
    return answer;
  };
  const kinds = [single, keyed, changing, atomic, failing];
  while (!state.done) await kinds[integer(random, kinds.length)]?.(counted, ledger, state);
}

type Ask = (method: string, path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer | undefined>;
type Write = (send: Ask, ledger: Ledger, state: { readonly done: boolean }) => Promise<void>;

const single: Write = async (send, { acknowledged }) => {
  const name = randomUUID();
  if ((await send("POST", "/things", { name }))?.status === 201) acknowledged.set(name, 0);
};

/** Under a key it is sent until it is answered. */
const keyed: Write = async (send, { acknowledged }, state) => {
  const name = randomUUID();
  while (!state.done) {
    const answer = await send("POST", "/things", { name }, { "idempotency-key": name });
    if (answer?.status === 201) return void acknowledged.set(name, 0);
    await sleep(20);
  }
};

/** A row that is changed until an answer is missing: from then on its client does not know how far it is. */
const changing: Write = async (send, { acknowledged }, state) => {
  const name = randomUUID();
  const made = await send("POST", "/things", { name });
  if (made?.status !== 201) return;
  acknowledged.set(name, 0);
  for (let revision = 1; revision <= 5 && !state.done; revision++) {
    const changed = await send("PATCH", `/things/${made.json.id}`, { revision });
    if (changed?.status !== 200) return;
    acknowledged.set(name, revision);
  }
};

const strict = { prefer: "handling=strict" };

const atomic: Write = async (send, { acknowledged }) => {
  const names = [randomUUID(), randomUUID(), randomUUID()];
  const answer = await send("POST", "/things/batch", { items: names.map((name) => ({ name })) }, strict);
  if (answer?.status === 200) for (const name of names) acknowledged.set(name, 0);
};

/** Two items that could be written and one that cannot, in one transaction. */
const failing: Write = async (send, ledger) => {
  const items = [{ name: neverPrefix + randomUUID() }, { name: neverPrefix + randomUUID() }, { name: taken }];
  const answer = await send("POST", "/things/batch", { items }, strict);
  if (answer?.status === 422) ledger.rolledBack += 1;
};
