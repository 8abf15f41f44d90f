import { setTimeout as sleep } from "node:timers/promises";
import { type Host, startShop } from "../shop/shopProcess.js";

/** What the shop has acknowledged of one row: at least this count as its name, at most the one that was being written. */
export interface Acknowledged {
  readonly email: string;
  count: number;
  attempted: number;
}

/** What became of a run. */
export interface KillReport {
  readonly acknowledgedRows: number;
  readonly acknowledgedChanges: number;
  /** What was acknowledged and is not there, or not as it was acknowledged; one line each. */
  readonly losses: readonly string[];
}

export interface KillOptions {
  readonly rounds: number;
  readonly writers: number;
  readonly host: Host;
  /** Variables of the shop: where its data is. */
  readonly environment: Readonly<Record<string, string>>;
  /** Decides when the server dies: milliseconds after the writers have begun. */
  readonly aliveMs: (round: number) => number;
}

/** Starts the shop, writes, kills it with SIGKILL while it writes, again and again; then starts it once more and looks for all that was acknowledged. */
export async function killWhileWriting({ rounds, writers, host, environment, aliveMs }: KillOptions): Promise<KillReport> {
  const rows = new Map<number, Acknowledged>();
  for (let round = 0; round < rounds; round++) {
    const shop = await startShop(host, environment);
    const writing = Array.from({ length: writers }, (_, writer) => write(shop.origin, `r${round}w${writer}`, rows));
    await sleep(aliveMs(round));
    await shop.stop("SIGKILL");
    await Promise.all(writing);
  }
  const shop = await startShop(host, environment);
  const losses: string[] = [];
  for (const [id, acknowledged] of rows) losses.push(...(await lossesOf(shop.origin, id, acknowledged)));
  await shop.stop("SIGTERM");
  const acknowledgedChanges = [...rows.values()].reduce((sum, { count }) => sum + count, 0);
  return { acknowledgedRows: rows.size, acknowledgedChanges, losses };
}

/** Creates rows and counts each one's name up until the server is gone; whatever was answered is remembered. */
async function write(origin: string, label: string, rows: Map<number, Acknowledged>): Promise<void> {
  for (let number = 0; ; number++) {
    const email = `${label}-${number}@example.com`;
    const id = await send(`${origin}/users`, "POST", { name: "0", email }, 201);
    if (id === undefined) return;
    const row: Acknowledged = { email, count: 0, attempted: 0 };
    rows.set(id, row);
    for (let count = 1; count <= 3; count++) {
      row.attempted = count;
      if ((await send(`${origin}/users/${id}`, "PATCH", { name: String(count) }, 200)) === undefined) return;
      row.count = count;
    }
  }
}

/** The id that was answered; `undefined` where the server died before its answer was here. */
async function send(url: string, method: string, body: unknown, expected: number): Promise<number | undefined> {
  let answered: { readonly status: number; readonly id: number };
  try {
    const response = await fetch(url, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    answered = { status: response.status, id: ((await response.json()) as { id: number }).id };
  } catch {
    return undefined;
  }
  if (answered.status !== expected) throw new Error(`${method} ${url} was answered ${answered.status}.`);
  return answered.id;
}

async function lossesOf(origin: string, id: number, { email, count, attempted }: Acknowledged): Promise<string[]> {
  const response = await fetch(`${origin}/users/${id}`);
  if (response.status !== 200) return [`user ${id} is answered ${response.status}`];
  const user = (await response.json()) as { name: string; email: string };
  const stored = Number(user.name);
  const asAcknowledged = user.email === email && stored >= count && stored <= attempted;
  return asAcknowledged ? [] : [`user ${id} is ${user.email} ${user.name}; acknowledged: ${email} ${count}`];
}
