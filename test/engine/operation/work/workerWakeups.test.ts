import type { Wakeups } from "restwright";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { WorkerWakeups } from "../../../../src/engine/operation/work/workerWakeups.js";

type Run = Parameters<Wakeups["listen"]>[0];

/** A channel that does what a test says. Unless told otherwise, each message arrives at once. */
class Channel implements Wakeups {
  readonly sends: (readonly string[])[] = [];
  send: Wakeups["send"] = async (topics) => {
    this.sends.push(topics);
    for (const run of this.runs) run(topics);
  };
  listens = 0;
  closes = 0;
  refusal: Error | undefined;
  runs = new Set<Run>();
  changed: (isConnected: boolean) => void = () => {};

  async listen(run: Run, changed: (isConnected: boolean) => void = () => {}) {
    this.listens += 1;
    if (this.refusal !== undefined) throw this.refusal;
    this.runs.add(run);
    this.changed = changed;
    return {
      close: async () => {
        this.closes += 1;
        this.runs.delete(run);
      },
    };
  }

  /** What was sent besides checks, without the mark of the sender. */
  get topics(): readonly (readonly string[])[] {
    return this.sends
      .map((topics) => topics.map((topic) => topic.split("@")[0] ?? "").filter((topic) => topic !== ""))
      .filter(({ length }) => length > 0);
  }
}

function stage(channel: Wakeups) {
  const clock = new FakeClock();
  const logged: string[] = [];
  const log = (level: string) => (_: object, message: string) => void logged.push(`${level}: ${message}`);
  const logger = { error: log("error"), warn: log("warn"), info: log("info"), debug: log("debug") };
  const wakeups = new WorkerWakeups({ wakeups: channel, timers: clock, logger });
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 10) {
      clock.advance(Math.min(left, 10));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { wakeups, clock, logged, pass };
}

const failing = "warn: Wake-ups between processes fail; until they arrive again, polls find the work of other processes.";
const well = "info: Wake-ups between processes arrive again.";

describe("sending wake-ups", () => {
  test("topics of 20 ms go together, each once", async () => {
    const channel = new Channel();
    const { wakeups, pass } = stage(channel);
    for (let turn = 0; turn < 5; turn++) wakeups.send(["jobs", "deliveries"]);
    expect(channel.sends).toEqual([]);
    await pass(20);
    wakeups.send(["jobs"]);
    await pass(20);
    expect(channel.topics).toEqual([["jobs", "deliveries"], ["jobs"]]);
  });

  test("a channel that rejects or throws is logged once, and once when it is well again", async () => {
    const channel = new Channel();
    const { wakeups, pass, logged } = stage(channel);
    const { send } = channel;
    for (const refuse of [
      () => Promise.reject(new Error("gone")),
      () => Promise.reject(undefined),
      () => {
        throw new Error("worse");
      },
    ]) {
      channel.send = refuse;
      wakeups.send(["jobs"]);
      await pass(20);
    }
    expect(logged).toEqual([failing]);
    channel.send = send;
    wakeups.send(["jobs"]);
    await pass(20);
    expect(logged).toEqual([failing, well]);
  });

  test("a channel that does not answer gets one message in 30 s, and topics meanwhile are dropped", async () => {
    const channel = new Channel();
    const { wakeups, pass, logged } = stage(channel);
    let unanswered = 0;
    let answer = () => {};
    channel.send = () => {
      unanswered += 1;
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    };
    for (let turn = 0; turn < 100; turn++) {
      wakeups.send(["jobs"]);
      await pass(100);
    }
    expect([unanswered, logged]).toEqual([1, [failing]]);
    await pass(21_000);
    wakeups.send(["jobs"]);
    await pass(1_000);
    expect(unanswered).toBe(2);
    answer();
    await pass(10);
    wakeups.send(["jobs"]);
    await pass(30);
    answer();
    await pass(10);
    expect([unanswered, logged]).toEqual([3, [failing, well]]);
  });

  test("without a channel nothing happens", async () => {
    const none = new WorkerWakeups({ wakeups: undefined, timers: new FakeClock(), logger: { error() {}, warn() {}, info() {}, debug() {} } });
    none.send(["jobs"]);
    none.on(["jobs"], () => {});
    await none.close();
    expect([none.pollMs(undefined), none.pollMs(7)]).toEqual([5_000, 7]);
  });
});

describe("hearing wake-ups", () => {
  test("topics of others wake the workers of these topics, and what the service sent itself wakes none", async () => {
    const channel = new Channel();
    const [{ wakeups, pass }, other] = [stage(channel), stage(channel)];
    const looks: string[] = [];
    wakeups.on(["jobs", "all"], () => looks.push("jobs"));
    wakeups.on(["subscriber:mail", "all"], () => looks.push("mail"));
    await pass(100);
    looks.length = 0;
    wakeups.send(["jobs"]);
    await pass(20);
    expect(looks).toEqual([]);
    other.wakeups.send(["jobs", "subscriber:other", "live:users"]);
    await other.pass(20);
    expect(looks).toEqual(["jobs"]);
    other.wakeups.send(["all"]);
    await other.pass(20);
    expect(looks).toEqual(["jobs", "jobs", "mail"]);
  });

  test("a topic that another program sent wakes too, and nonsense does no harm", async () => {
    const channel = new Channel();
    const { wakeups, pass } = stage(channel);
    let looks = 0;
    wakeups.on(["jobs"], () => {
      looks += 1;
    });
    await pass(100);
    looks = 0;
    for (const run of channel.runs) run(["jobs", "", "@", "nonsense", null, 7] as unknown as string[]);
    expect(looks).toBe(1);
  });

  test("polls are rare only while a message to the service itself arrives every 30 s", async () => {
    const channel = new Channel();
    const { wakeups, pass, logged } = stage(channel);
    let looks = 0;
    wakeups.on(["jobs"], () => {
      looks += 1;
    });
    expect(wakeups.pollMs(undefined)).toBe(5_000);
    await pass(100);
    expect([wakeups.pollMs(undefined), wakeups.pollMs(1_000), wakeups.pollMs(undefined, 2_000), looks]).toEqual([30_000, 1_000, 30_000, 1]);
    channel.runs.clear();
    await pass(30_000 + 5_100);
    expect([wakeups.pollMs(undefined), wakeups.pollMs(undefined, 2_000), looks, logged]).toEqual([5_000, 2_000, 2, [failing]]);
    await wakeups.close();
  });

  test("a connection that is lost is no reason to wait: workers look at once, and again when it is back", async () => {
    const channel = new Channel();
    const { wakeups, pass, logged } = stage(channel);
    let looks = 0;
    wakeups.on(["jobs"], () => {
      looks += 1;
    });
    await pass(100);
    channel.changed(false);
    expect([wakeups.pollMs(undefined), looks, logged]).toEqual([5_000, 2, [failing]]);
    await pass(60_000);
    expect(looks).toBe(2);
    channel.changed(true);
    await pass(100);
    expect([wakeups.pollMs(undefined), looks, logged]).toEqual([30_000, 3, [failing, well]]);
  });

  test("a channel that says again that it is connected may have missed messages: workers of all topics look", async () => {
    const channel = new Channel();
    const { wakeups, pass } = stage(channel);
    const looks: string[] = [];
    for (const topic of ["jobs", "deliveries"]) wakeups.on([topic], () => looks.push(topic));
    await pass(100);
    looks.length = 0;
    channel.changed(true);
    expect(looks.toSorted()).toEqual(["deliveries", "jobs"]);
    expect(wakeups.pollMs(undefined)).toBe(30_000);
    await wakeups.close();
    channel.changed(true);
    expect(looks).toHaveLength(2);
  });

  test("a channel that says from the start that it cannot connect is left alone without a word", async () => {
    const channel = new Channel();
    const { listen } = channel;
    channel.listen = async (run, changed) => {
      changed?.(false);
      return listen.call(channel, run, changed);
    };
    const { wakeups, pass, logged } = stage(channel);
    wakeups.on(["jobs"], () => {});
    await pass(40_000);
    expect([wakeups.pollMs(undefined), channel.sends, logged]).toEqual([5_000, [], []]);
  });

  test("listening that is refused is tried again every 30 s", async () => {
    const channel = new Channel();
    channel.refusal = new Error("no");
    const { wakeups, pass, logged } = stage(channel);
    wakeups.on(["jobs"], () => {});
    await pass(59_000);
    expect([channel.listens, logged]).toEqual([2, [failing]]);
    channel.refusal = undefined;
    await pass(2_000);
    expect([channel.listens, logged, wakeups.pollMs(undefined)]).toEqual([3, [failing, well], 30_000]);
  });
});

describe("the end of wake-ups", () => {
  test("sends what was gathered, and listens no longer", async () => {
    const channel = new Channel();
    const { wakeups, pass } = stage(channel);
    const looks: string[] = [];
    const end = wakeups.on(["jobs"], () => looks.push("jobs"));
    await pass(100);
    looks.length = 0;
    end();
    for (const run of channel.runs) run(["jobs"]);
    wakeups.send(["deliveries"]);
    await wakeups.close();
    wakeups.send(["jobs"]);
    await pass(100_000);
    expect([looks, channel.topics, channel.closes, channel.runs.size]).toEqual([[], [["deliveries"]], 1, 0]);
  });

  test("waits for nothing that does not answer", async () => {
    const channel = new Channel();
    const { wakeups, pass, logged } = stage(channel);
    channel.send = () => new Promise(() => {});
    channel.listen = () => new Promise(() => {});
    wakeups.on(["jobs"], () => {});
    wakeups.send(["jobs"]);
    let isClosed = false;
    void wakeups.close().then(() => {
      isClosed = true;
    });
    await pass(1_100);
    expect([isClosed, logged]).toEqual([true, []]);
  });
});
