import { redisUploads } from "restwright/redis";
import { afterAll, describe, test } from "vitest";
import { describeInStorages } from "./describeInStorages.js";
import { connectRedis, ownPrefix, redisUrl } from "./redisServer.js";
import { testUploads } from "./uploadTests.js";

describeInStorages("uploads", testUploads);

describe.skipIf(redisUrl === undefined)("uploads in Redis (set REDIS_URL to run)", async () => {
  if (redisUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const client = connectRedis();
  const { prefix, remove } = ownPrefix();
  let stores = 0;
  afterAll(async () => {
    await remove(client);
    await client.quit();
  });
  const open = async () => {
    stores += 1;
    return { store: redisUploads(client, { prefix: `${prefix}{${stores}}:` }) };
  };
  await testUploads(open, ["the store stands alone, without a storage"]);
});
