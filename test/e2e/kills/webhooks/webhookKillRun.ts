import { setTimeout as sleep } from "node:timers/promises";
import { fixture } from "../../../capabilities/webhooks/transport/transportServer.js";
import type { Random } from "../../../fuzz/random.js";
import { killAndRestart, startWorker, type Worker } from "../killedWorkers.js";
import { type Ledger, newLedger, taken, write } from "./webhookKillClient.js";
import { outcome, post, type WebhookOutcome } from "./webhookKillOutcome.js";
import { startReceiver } from "./webhookKillReceiver.js";

const program = "webhookKillWorker.ts";
const paths = ["/all", "/created"];

export interface WebhookKillOptions {
  /** SIGKILLs, spread over the workers. */
  readonly kills: number;
  /** Processes on one storage. */
  readonly workers: number;
  readonly clients: number;
  /** Where the workers keep their rows. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long until the next kill. */
  readonly aliveMs: (kill: number) => number;
  readonly random: Random;
}

/** What became of a run. */
export type WebhookKillReport = Pick<Ledger, "requests" | "unanswered" | "rolledBack"> & WebhookOutcome;

/** Clients write while the workers are killed at random; in the end each committed write must have been told to each webhook, and no other. */
export async function webhooksWhileKilled(options: WebhookKillOptions): Promise<WebhookKillReport> {
  const { random } = options;
  const environment = { ...options.environment, CA_PEM: fixture("ca.pem") };
  const receiver = await startReceiver(paths, random);
  const workers: Worker[] = [];
  try {
    for (let count = 0; count < options.workers; count++) workers.push(await startWorker(program, environment));
    const origin = workers[0]?.origin ?? "";
    await post(origin, "/webhooks", { url: `${receiver.origin}/all`, events: ["*"] });
    await post(origin, "/webhooks", { url: `${receiver.origin}/created`, events: ["thing.created"] });
    await post(origin, "/things", { name: taken });
    const ledger = newLedger();
    ledger.acknowledged.set(taken, 0);
    await writeWhileKilled({ ...options, environment }, workers, ledger);
    return { ...ledger, ...(await outcome(workers[0]?.origin ?? "", ledger.acknowledged, receiver)) };
  } finally {
    for (const { process } of workers) process.kill("SIGKILL");
    receiver.close();
  }
}

async function writeWhileKilled(options: WebhookKillOptions, workers: readonly Worker[], ledger: Ledger): Promise<void> {
  const { kills, clients, environment, aliveMs, random } = options;
  const state = { done: false };
  const writing = Promise.all(
    Array.from({ length: clients }, (_, client) => {
      let turn = client;
      // Each request goes to the next worker, as a load balancer would have it.
      return write(() => workers[turn++ % workers.length]?.origin ?? "", ledger, random, state);
    }),
  );
  for (let kill = 0; kill < kills; kill++) {
    await Promise.race([sleep(aliveMs(kill)), writing]);
    await killAndRestart(program, workers[kill % workers.length], environment);
  }
  state.done = true;
  await writing;
}
