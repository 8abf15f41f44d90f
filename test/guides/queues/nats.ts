import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, nanos } from "@nats-io/transport-node";
import type { Ends, Given } from "./given.js";

/** The code of docs/guides/queues.md for NATS JetStream, which a test compares with the page. */
export async function handToJetStream({ service, url, name, ship }: Given): Promise<Ends> {
  const nats = await connect({ servers: url, ignoreClusterUpdates: true, maxReconnectAttempts: -1 });
  const manager = await jetstreamManager(nats);
  await manager.streams.add({ name, subjects: [`${name}.*`], storage: "file", duplicate_window: nanos(3_600_000) });
  const stream = jetstream(nats);

  service.on("order.created", { name: "to-nats", scheduleMs: [0, 1_000, 5_000, 60_000], attempts: 100 }, async ({ id, data }) => {
    await stream.publish(`${name}.created`, JSON.stringify(data), { msgID: id, timeout: 5_000 });
  });

  await manager.consumers.add(name, { durable_name: "ship", ack_policy: "explicit", ack_wait: nanos(30_000), max_ack_pending: 5 });
  const messages = await (await stream.consumers.get(name, "ship")).consume();
  const working = (async () => {
    for await (const message of messages) {
      await ship(message.headers?.get("Nats-Msg-Id"), message.json()).then(
        () => message.ack(),
        () => message.nak(1_000),
      );
    }
  })();

  return {
    closeWorker: async () => {
      await messages.close();
      await working;
    },
    closeSender: () => nats.drain(),
  };
}
