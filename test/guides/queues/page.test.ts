import { expect, test } from "vitest";
import { guideCode, guidePage } from "../guidePage.js";

test("docs/guides/queues.md shows the programs that are run here, in this order", () => {
  const { blocks } = guidePage("queues");
  const files = ["orders", "bullmq", "pgBoss", "rabbitmq", "nats", "natsWakeups"];
  expect(blocks).toHaveLength(files.length);
  for (const [index, file] of files.entries()) expect(guideCode(`./queues/${file}.ts`)).toContain(blocks[index]);
});
