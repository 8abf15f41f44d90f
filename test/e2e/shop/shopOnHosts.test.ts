// @long

import { describe, onTestFinished, test } from "vitest";
import { needs } from "../../tools/engines.js";
import { oneOf, sampleNote } from "../../tools/extent.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { createToRemove, shopChecks } from "./shopChecks.js";
import { hosts } from "./shopProcess.js";

// Express has a file of its own, which the gate always runs.
describe.each(oneOf(hosts.filter((host) => host !== "express")))(`the shop on %s${sampleNote}`, shopChecks);

describe.each(oneOf(hosts))(`the shop on %s and PostgreSQL (set POSTGRES_URL to run)${sampleNote}`, needs("postgres"), (host) => {
  test("creates, reads, patches, lists, removes, and keeps its data over a restart", async () => {
    const schema = ownSchema();
    const DATABASE_URL = await schema.create();
    onTestFinished(() => schema.drop());
    await createToRemove(host, { DATABASE_URL });
  });
});
