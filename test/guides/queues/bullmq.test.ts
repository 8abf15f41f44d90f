// @long only-in-full

import { Queue } from "bullmq";
import { describe } from "vitest";
import { needs, redisUrl } from "../../tools/engines.js";
import { handToBullmq } from "./bullmq.js";
import { testRecipe } from "./handOver.js";

describe("the outbox into BullMQ (set REDIS_URL to run)", needs("redis"), () => {
  const url = redisUrl ?? "";
  const remove = async (name: string) => {
    const queue = new Queue(name, { connection: { url } });
    await queue.obliterate({ force: true });
    await queue.close();
  };
  testRecipe({ subscriber: "to-bullmq", url: new URL(url || "redis://none"), dropsDoubles: true, open: handToBullmq, remove });
});
