import { fixture } from "../../../capabilities/webhooks/transport/transportServer.js";
import type { Random } from "../../../fuzz/random.js";
import { type ImportKillOptions, type ImportKillReport, importsWhileKilled } from "../importsWhileKilled.js";
import { nameOf } from "../workers/importedName.js";
import { outcome, post, type ReadThings, type WebhookOutcome } from "./webhookKillOutcome.js";
import { startReceiver } from "./webhookKillReceiver.js";

export interface FanOutKillOptions extends Omit<ImportKillOptions, "begin" | "end"> {
  readonly webhooks: number;
  readonly random: Random;
}

/** What became of a run: of the imports, and of what the webhooks were told. */
export interface FanOutKillReport extends ImportKillReport {
  readonly told: WebhookOutcome;
}

/** Imports files while the workers are killed at random; in the end each webhook must have been told of each row, and of no other. */
export async function fanOutWhileKilled(options: FanOutKillOptions): Promise<FanOutKillReport> {
  const paths = Array.from({ length: options.webhooks }, (_, number) => `/hook-${number}`);
  const receiver = await startReceiver(paths, options.random);
  let told: WebhookOutcome = { rows: 0, events: 0, again: 0, faults: [] };
  try {
    const report = await importsWhileKilled({
      ...options,
      environment: { ...options.environment, CA_PEM: fixture("ca.pem") },
      async begin(origin) {
        for (const path of paths) await post(origin, "/webhooks", { url: receiver.origin + path, events: ["thing.created"] });
      },
      async end(origin) {
        told = await outcome(origin, new Map(), receiver, readImported);
        return told.faults;
      },
    });
    return { ...report, told };
  } finally {
    receiver.close();
  }
}

const readImported: ReadThings = async (ask) => {
  const rows: { id: number; import: string; item: number }[] = [];
  for (let next: string | undefined = "/things?perPage=10000&count=none&fields=id,import,item"; next !== undefined; ) {
    const list = await ask(next);
    rows.push(...list.data);
    next = list.links.next;
  }
  return rows.map((row) => ({ id: row.id, name: nameOf(row.import, row.item), revision: 0 }));
};
