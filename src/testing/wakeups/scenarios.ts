import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Ear, type WakeupStage } from "./stage.js";

/** One promise of the contract, and its test. */
export interface WakeupScenario {
  readonly name: string;
  /** Whether it needs a channel whose engine is away. */
  readonly needsNothing?: boolean;
  run(stage: WakeupStage): Promise<void>;
}

/** How long `send` may take while the engine is away, in milliseconds. A service waits for 500. */
const maxSettleMs = 15_000;

const oddTopics = [
  "",
  " ",
  `"'\\;--`,
  "é漢😀",
  "a\nb\tc",
  "live:orders/7",
  "subscriber:send-receipt@1",
  "null",
  "[1]",
  "%00",
  "\u0000",
  "x".repeat(1_000),
];

/** All scenarios of the contract. */
export const wakeupScenarios: readonly WakeupScenario[] = [
  {
    name: "a topic arrives in another process, and in the one that sends it",
    run: (stage) =>
      stage.listening([stage.one, stage.other], async (own, theirs) => {
        const topic = stage.topic();
        await stage.one.send([topic]);
        await theirs?.hears([topic]);
        await own?.hears([topic]);
      }),
  },
  {
    name: "two listeners of one process both hear a topic",
    run: (stage) =>
      stage.listening([stage.other, stage.other], async (first, second) => {
        const topic = stage.topic();
        await stage.one.send([topic]);
        await first?.hears([topic]);
        await second?.hears([topic]);
      }),
  },
  {
    name: "topics that are sent together all arrive",
    run: (stage) =>
      stage.listening([stage.other], async (ear) => {
        const topics = Array.from({ length: 20 }, () => stage.topic());
        await stage.one.send(topics);
        await ear?.hears(topics);
      }),
  },
  {
    name: "topics of any characters arrive as they are",
    run: (stage) =>
      stage.listening([stage.other], async (ear) => {
        const topics = oddTopics.map((text) => stage.topic(text));
        for (const topic of topics) await stage.one.send([topic]);
        await stage.one.send(topics);
        await ear?.hears(topics);
      }),
  },
  {
    name: "more topics than one message may have arrive too",
    run: (stage) =>
      stage.listening([stage.other], async (ear) => {
        const topics = Array.from({ length: 1_500 }, (_, index) => stage.topic(`-${index}-${"é".repeat(40)}`));
        await stage.one.send(topics);
        await ear?.hears(topics);
      }),
  },
  {
    name: "nothing may be sent",
    run: (stage) => stage.one.send([]),
  },
  {
    name: "a closed listener hears nothing, and others go on",
    async run(stage) {
      const closed = new Ear();
      await closed.open(stage.other, stage.one);
      await stage.listening([stage.other], async (ear) => {
        await closed.close();
        const topic = stage.topic();
        await stage.one.send([topic]);
        await ear?.hears([topic]);
        assert.ok(!closed.heard.includes(topic));
      });
    },
  },
  {
    name: "a process may listen again after it has closed its listener",
    async run(stage) {
      const process = await stage.subject.connect();
      for (const turn of ["first", "second"]) {
        await stage.listening([process], async (ear) => {
          const topic = stage.topic(turn);
          await stage.one.send([topic]);
          await ear?.hears([topic]);
        });
      }
    },
  },
  {
    name: "while the engine is away, a message is refused or dropped within seconds",
    needsNothing: true,
    async run(stage) {
      const wakeups = await stage.subject.connectToNothing?.();
      assert.ok(wakeups !== undefined);
      const settled = wakeups.send([stage.topic()]).then(
        () => "sent",
        () => "refused",
      );
      assert.notEqual(await Promise.race([settled, sleep(maxSettleMs, "waits", { ref: false })]), "waits");
    },
  },
];
