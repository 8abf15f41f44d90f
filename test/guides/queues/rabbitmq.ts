import { type ChannelModel, type ConfirmChannel, type ConsumeMessage, connect, type Message } from "amqplib";
import type { Ends, Given } from "./given.js";

/** The code of docs/guides/queues.md for RabbitMQ, which a test compares with the page. */
export async function handToRabbitmq({ service, url, name, ship, log }: Given): Promise<Ends> {
  let opening: Promise<ConfirmChannel> | undefined;
  let sender: ChannelModel | undefined;
  async function open(): Promise<ConfirmChannel> {
    sender = await connect(url);
    sender.on("error", log);
    sender.on("close", () => {
      opening = undefined;
    });
    const channel = await sender.createConfirmChannel();
    channel.on("error", log);
    channel.on("close", () => {
      opening = undefined;
    });
    await channel.assertQueue(name, { durable: true });
    return channel;
  }

  service.on("order.created", { name: "to-rabbitmq", scheduleMs: [0, 1_000, 5_000, 60_000], attempts: 100 }, async ({ id, data }) => {
    opening ??= open();
    const channel = await opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    await new Promise<void>((resolve, reject) => {
      const refuse = ({ properties }: Message) => {
        if (properties.messageId === id) reject(new Error("No queue took the message."));
      };
      channel.on("return", refuse);
      channel.publish("", name, Buffer.from(JSON.stringify(data)), { messageId: id, persistent: true, mandatory: true }, (error) => {
        channel.off("return", refuse);
        if (error) reject(error);
        else resolve();
      });
    });
  });

  const worker = await connect(url, {
    recovery: {
      setup: async (connection: ChannelModel) => {
        const channel = await connection.createChannel();
        channel.on("error", log);
        await channel.assertQueue(name, { durable: true });
        await channel.prefetch(5);
        await channel.consume(name, (message: ConsumeMessage | null) => {
          if (message === null) return;
          ship(message.properties.messageId, JSON.parse(message.content.toString())).then(
            () => channel.ack(message),
            () => channel.nack(message),
          );
        });
      },
    },
  });
  worker.on("error", log);

  return { closeWorker: () => worker.close(), closeSender: async () => sender?.close() };
}
