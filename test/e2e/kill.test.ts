import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type ShopProcess, startShop } from "./shopProcess.js";
import { temporaryFolder } from "./temporary.js";

const rounds = 20;
const writers = 8;

/** What the shop has acknowledged of one row: at least this name, at most the one that was being written. */
interface Acknowledged {
  readonly email: string;
  count: number;
  attempted: number;
}

/** Creates a row and counts its name up until the server is gone; whatever was answered is remembered. */
async function write(origin: string, label: string, rows: Map<number, Acknowledged>, signal: { stopped: boolean }): Promise<void> {
  for (let number = 0; !signal.stopped; number++) {
    const email = `${label}-${number}@example.com`;
    const created = await send(`${origin}/users`, "POST", "application/json", { name: "0", email });
    if (created === undefined) return;
    expect(created.status).toBe(201);
    const row: Acknowledged = { email, count: 0, attempted: 0 };
    rows.set(created.body.id, row);
    for (let count = 1; count <= 3; count++) {
      row.attempted = count;
      const changed = await send(`${origin}/users/${created.body.id}`, "PATCH", "application/merge-patch+json", { name: String(count) });
      if (changed === undefined) return;
      expect(changed.status).toBe(200);
      row.count = count;
    }
  }
}

/** `undefined` where the server died before its answer was here. */
async function send(url: string, method: string, type: string, body: unknown): Promise<{ status: number; body: { id: number } } | undefined> {
  try {
    const response = await fetch(url, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as { id: number } };
  } catch {
    return undefined;
  }
}

async function killWhileWriting(shop: ShopProcess, round: number, rows: Map<number, Acknowledged>): Promise<void> {
  const signal = { stopped: false };
  const writing = Array.from({ length: writers }, (_, writer) => write(shop.origin, `r${round}w${writer}`, rows, signal));
  await sleep(60 + ((round * 37) % 150));
  await shop.stop("SIGKILL");
  signal.stopped = true;
  await Promise.all(writing);
}

test(`every acknowledged row is there after ${rounds} times SIGKILL during writes`, { timeout: 180_000 }, async () => {
  const dataDir = temporaryFolder();
  const rows = new Map<number, Acknowledged>();
  for (let round = 0; round < rounds; round++) {
    await killWhileWriting(await startShop("fastify", { DATA_DIR: dataDir }), round, rows);
  }
  expect(rows.size).toBeGreaterThan(rounds);
  const shop = await startShop("fastify", { DATA_DIR: dataDir });
  for (const [id, acknowledged] of rows) {
    const response = await fetch(`${shop.origin}/users/${id}`);
    expect(response.status, `user ${id}`).toBe(200);
    const user = (await response.json()) as { name: string; email: string };
    expect(user.email).toBe(acknowledged.email);
    expect(Number(user.name)).toBeGreaterThanOrEqual(acknowledged.count);
    expect(Number(user.name)).toBeLessThanOrEqual(acknowledged.attempted);
  }
  expect(await shop.stop("SIGTERM")).toBe(0);
});
