// @slow

import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe } from "vitest";
import { describeInMemory } from "../../../tools/storage/describeInStorages.js";
import { testWebhooks } from "./webhookTests.js";

describe("webhooks in the memory store by a clock of one's own", () =>
  testWebhooks(async () => {
    const clock = new FakeClock();
    return { storage: memoryStorage({ clock }), advance: (ms) => clock.advance(ms) };
  }));

describeInMemory("webhooks", testWebhooks);
