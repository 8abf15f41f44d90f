// @slow

import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe } from "vitest";
import { describeInMemory } from "../../../tools/storage/describeInStorages.js";
import { testSubscribers } from "./subscriberTests.js";

describe("subscribers in the memory store by a clock of one's own", () =>
  testSubscribers(async () => {
    const clock = new FakeClock();
    return { storage: memoryStorage({ clock }), advance: (ms) => clock.advance(ms) };
  }));

describeInMemory("subscribers", testSubscribers);
