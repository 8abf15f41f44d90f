// @long only-in-full

import { afterAll, beforeAll, describe } from "vitest";
import { needs, postgresUrl } from "../../tools/engines.js";
import { ownDatabase } from "../../tools/storage/postgresSchema.js";
import { testRecipe } from "./handOver.js";
import { handToPgBoss } from "./pgBoss.js";

describe("the outbox into pg-boss (set POSTGRES_URL to run)", needs("postgres"), () => {
  // pg-boss keeps one schema for all queues of a database.
  const database = ownDatabase();
  const url = new URL(postgresUrl ?? "postgres://none");
  url.pathname = `/${database.name}`;
  beforeAll(async () => void (await database.create()));
  afterAll(() => database.drop());
  testRecipe({ subscriber: "to-pg-boss", url, dropsDoubles: true, open: handToPgBoss, remove: async () => undefined });
});
