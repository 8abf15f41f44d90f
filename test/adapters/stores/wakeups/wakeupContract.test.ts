// @slow

import pg from "pg";
import type { Wakeups } from "restwright";
import { postgresStorage, postgresWakeups } from "restwright/postgres";
import { redisWakeups } from "restwright/redis";
import { wakeupContract } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import { needs, postgresUrl } from "../../../tools/engines.js";
import { freePort } from "../../../tools/freePort.js";
import { WakeupHub } from "../../../tools/storage/memoryWakeups.js";
import { testContract } from "../records/contractTests.js";
import { describeInRedis } from "../redis/describeInRedis.js";
import { nodeRedisListener } from "../redis/nodeRedis.js";
import { connectRedis } from "../redis/redisServer.js";

const noEngine = ["no channel whose engine is away"];
const wakeupsOf = ({ wakeups }: { readonly wakeups?: Wakeups | undefined }): Wakeups => {
  if (wakeups === undefined) throw new Error("The storage has no wake-ups.");
  return wakeups;
};

describe("wake-ups in memory", async () => {
  const hub = new WakeupHub();
  testContract(await wakeupContract({ open: async () => ({ connect: async () => hub.connect() }) }), noEngine);
});

describe("wake-ups of PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), async () => {
  if (postgresUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const connectionString = postgresUrl;
  const ends: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });
  const pool = (url: string) => {
    const opened = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 1_000 });
    opened.on("error", () => {});
    ends.push(() => opened.end());
    return opened;
  };
  const connectToNothing = async () => postgresWakeups({ pool: pool(`postgres://nobody@127.0.0.1:${await freePort()}/none`) });

  describe("over a pool", async () => {
    const connect = async () => postgresWakeups({ pool: pool(connectionString) });
    testContract(await wakeupContract({ open: async () => ({ connect, connectToNothing }) }), []);
  });

  describe("of a storage", async () => {
    const connect = async () => {
      const storage = postgresStorage({ connectionString, poolSize: 2 });
      ends.push(async () => storage.close?.());
      return wakeupsOf(storage);
    };
    testContract(await wakeupContract({ open: async () => ({ connect, connectToNothing }) }), []);
  });
});

describeInRedis("wake-ups of Redis", async (client, prefix) => {
  const ends: (() => void)[] = [];
  afterAll(() => {
    for (const end of ends) end();
  });
  const second = () => {
    const subscriber = connectRedis();
    ends.push(() => subscriber.disconnect());
    return subscriber;
  };
  const connectToNothing = async () => {
    const nowhere = connectRedis(`redis://127.0.0.1:${await freePort()}`);
    nowhere.on("error", () => {});
    ends.push(() => nowhere.disconnect());
    return redisWakeups({ publisher: nowhere, subscriber: nowhere });
  };
  describe("by clients of ioredis", async () => {
    const connect = async () => redisWakeups({ publisher: client, subscriber: second(), channel: `${prefix}io` });
    testContract(await wakeupContract({ open: async () => ({ connect, connectToNothing }) }), []);
  });
  describe("by clients of redis", async () => {
    const connect = async () => redisWakeups({ publisher: client, subscriber: nodeRedisListener(second()), channel: `${prefix}node` });
    testContract(await wakeupContract({ open: async () => ({ connect, connectToNothing }) }), []);
  });
});
