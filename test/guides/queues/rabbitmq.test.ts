// @long only-in-full

import { connect } from "amqplib";
import { describe, expect, test } from "vitest";
import { needs, rabbitmqUrl } from "../../tools/engines.js";
import { eventually } from "../../tools/eventually.js";
import { openRecipe, testRecipe } from "./handOver.js";
import { handToRabbitmq } from "./rabbitmq.js";

describe("the outbox into RabbitMQ (set RABBITMQ_URL to run)", needs("rabbitmq"), () => {
  const url = new URL(rabbitmqUrl ?? "amqp://none");
  const remove = async (name: string) => {
    const connection = await connect(url.href);
    const channel = await connection.createChannel();
    await channel.deleteQueue(name);
    await connection.close();
  };
  const recipe = { subscriber: "to-rabbitmq", url, dropsDoubles: false, open: handToRabbitmq, remove };
  testRecipe(recipe);

  test("a message that no queue takes is not handed on, and arrives when there is a queue again", async () => {
    const { service, create, distinctEmails, name } = await openRecipe(recipe);
    expect(await create("a@example.org")).toBe(201);
    await eventually(() => expect(distinctEmails()).toEqual(["a@example.org"]));
    await remove(name);
    expect(await create("b@example.org")).toBe(201);
    const [task] = await eventually(async () => {
      const tasks = await service.subscribers.list({ name: "to-rabbitmq", limit: 1 });
      expect(tasks[0]?.attempts).toBeGreaterThan(0);
      return tasks;
    });
    expect(task).toMatchObject({ state: "pending" });
    const connection = await connect(url.href);
    const channel = await connection.createChannel();
    await channel.assertQueue(name, { durable: true });
    const message = await eventually(async () => {
      const found = await channel.get(name, { noAck: true });
      if (found === false) throw new Error("There is no message.");
      return found;
    });
    expect(JSON.parse(message.content.toString())).toMatchObject({ email: "b@example.org" });
    await connection.close();
    await eventually(async () => expect(await service.subscribers.counts("to-rabbitmq")).toMatchObject({ succeeded: 2 }));
  });
});
