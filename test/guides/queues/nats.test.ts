// @long only-in-full

import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { wakeupContract } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import { cuttable } from "../../adapters/stores/postgres/cuttable.js";
import { testContract } from "../../adapters/stores/records/contractTests.js";
import { natsUrl, needs } from "../../tools/engines.js";
import { testRecipe } from "./handOver.js";
import { handToJetStream } from "./nats.js";
import { natsWakeups } from "./natsWakeups.js";

describe("the outbox into NATS JetStream (set NATS_URL to run)", needs("nats"), () => {
  const url = new URL(natsUrl ?? "nats://none");
  const remove = async (name: string) => {
    const nats = await connect({ servers: url.href });
    await (await jetstreamManager(nats)).streams.delete(name);
    await nats.close();
  };
  testRecipe({ subscriber: "to-nats", url, dropsDoubles: true, open: handToJetStream, remove });
});

describe("wake-ups of NATS (set NATS_URL to run)", needs("nats"), async () => {
  if (natsUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const url = natsUrl;
  const opened: NatsConnection[] = [];
  const subject = `wakeups.${process.pid}`;
  const way = await cuttable(new URL(url));
  afterAll(async () => {
    for (const nats of opened) await nats.close();
    way.close();
  });
  const channelOf = async (servers: string) => {
    const nats = await connect({ servers, ignoreClusterUpdates: true, maxReconnectAttempts: -1 });
    opened.push(nats);
    return natsWakeups(nats, subject);
  };
  const connectToNothing = async () => {
    const channel = await channelOf(way.url);
    way.cut();
    return channel;
  };
  testContract(await wakeupContract({ open: async () => ({ connect: () => channelOf(url), connectToNothing }) }), []);
});
