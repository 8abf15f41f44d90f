import { redisUploads } from "restwright/redis";
import { describeInMemory } from "../../../tools/storage/describeInStorages.js";
import { describeInRedis } from "../redis/describeInRedis.js";
import { testUploads } from "./uploadTests.js";

describeInMemory("uploads", testUploads);

describeInRedis("uploads in Redis", async (client, prefix) => {
  let stores = 0;
  const open = async () => {
    stores += 1;
    return { store: redisUploads(client, { prefix: `${prefix}{${stores}}:` }) };
  };
  await testUploads(open, ["the store stands alone, without a storage"]);
});
