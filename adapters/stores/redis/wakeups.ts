import { setTimeout as sleep } from "node:timers/promises";
import { having, optionsCheck, strict, text } from "../../../src/ground/options/index.js";
import type { WakeupListener, Wakeups } from "../../../src/ground/storage/wakeups.js";
import { payloadsOf, topicsOf } from "../wakeupPayloads.js";
import { type RedisSubscriber, subscriptionOf } from "./subscription.js";

/** Options of {@link redisWakeups}. */
export interface RedisWakeupOptions {
  /** A connected client of `ioredis` or `redis` for sending; the one of other stores will do. */
  readonly publisher: RedisPublisher;
  /** A connected client of its own, as a connection that listens can send no other commands: `publisher.duplicate()`. */
  readonly subscriber: RedisSubscriber;
  /** The channel of all processes of the service. Defaults to `restwright:wakeups`. */
  readonly channel?: string | undefined;
}

/** What sends messages, in `ioredis` and in `redis`. */
export interface RedisPublisher {
  publish(channel: string, message: string): Promise<unknown>;
}

const check = /* @__PURE__ */ optionsCheck("redisWakeups", () =>
  strict<RedisWakeupOptions>(
    {
      publisher: having("a client of ioredis or redis", "publish"),
      subscriber: having("a client of ioredis or redis", "subscribe", "unsubscribe", "on"),
      channel: text(),
    },
    ["publisher", "subscriber"],
  ),
);

/** So long that the topics of a service fit into one message. */
const maxPayloadBytes = 65_536;
/** How long a subscription is waited for, in milliseconds. */
const answerMs = 2_000;

/**
 * Wake-ups by PUBLISH and SUBSCRIBE of Redis, over clients of `ioredis` or `redis` 5 and later that the caller owns. Give it to `createService` where the storage has none, as with SQLite, or is
 * behind a pooler.
 *
 * @example
 * const publisher = new Redis("redis://localhost");
 * createService({ resources, storage, wakeups: redisWakeups({ publisher, subscriber: publisher.duplicate() }) });
 */
export function redisWakeups(options: RedisWakeupOptions): Wakeups {
  check(options);
  const { publisher, subscriber, channel = "restwright:wakeups" } = options;
  return {
    async send(topics) {
      for (const payload of payloadsOf(topics, maxPayloadBytes)) await publisher.publish(channel, payload);
    },
    async listen(run, changed = () => {}): Promise<WakeupListener> {
      const subscription = subscriptionOf(subscriber, channel, (message) => run(topicsOf(message)));
      let isClosed = false;
      const tell = (isConnected: boolean) => {
        if (!isClosed) changed(isConnected);
      };
      const begin = () => subscription.begin().then(() => tell(true));
      const unwatch = watch(subscriber, {
        lost: () => tell(false),
        // A client that subscribes again by itself has not done it yet.
        ready: () => void begin().catch(() => {}),
      });
      const begun = begin();
      begun.catch(() => {});
      // A client without a connection keeps the command until it has one.
      await Promise.race([begun, sleep(answerMs, undefined, { ref: false })]).catch(async (error: unknown) => {
        unwatch();
        await subscription.end().catch(() => {});
        throw error;
      });
      return {
        async close() {
          isClosed = true;
          unwatch();
          await subscription.end();
        },
      };
    },
  };
}

const lostEvents = ["close", "end", "reconnecting"] as const;

/** Follows the connection of a client. @returns a function that ends it */
function watch(subscriber: RedisSubscriber, { lost, ready }: { readonly lost: () => void; readonly ready: () => void }): () => void {
  for (const event of lostEvents) subscriber.on(event, lost);
  subscriber.on("ready", ready);
  return () => {
    for (const event of lostEvents) subscriber.off(event, lost);
    subscriber.off("ready", ready);
  };
}
