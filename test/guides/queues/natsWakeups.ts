import type { NatsConnection } from "@nats-io/transport-node";
import type { Wakeups } from "restwright";

/** The code of docs/guides/queues.md for wake-ups, which a test compares with the page. */
export function natsWakeups(nats: NatsConnection, subject: string): Wakeups {
  const wakeups: Wakeups = {
    async send(topics) {
      nats.publish(subject, JSON.stringify(topics));
    },
    async listen(run, changed = () => {}) {
      const subscription = nats.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) run(message.json());
        },
      });
      void (async () => {
        for await (const { type } of nats.status()) {
          if (subscription.isClosed()) return;
          if (type === "disconnect" || type === "reconnect") changed(type === "reconnect");
        }
      })();
      return { close: async () => subscription.unsubscribe() };
    },
  };
  return wakeups;
}
