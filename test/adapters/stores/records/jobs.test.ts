// @long

import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe } from "vitest";
import { describeInMemory } from "../../../tools/storage/describeInStorages.js";
import { testJobs } from "./jobTests.js";

describe("jobs in the memory store by a clock of one's own", () =>
  testJobs(async () => {
    const clock = new FakeClock();
    return { storage: memoryStorage({ clock }), advance: (ms) => clock.advance(ms) };
  }));

describeInMemory("jobs", testJobs);
