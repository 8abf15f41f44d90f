import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { withLazyStores } from "../../../src/ground/storage/completed/withLazyStores.js";

test("stores of a transaction are made when they are first used, once", () => {
  const made: string[] = [];
  const make = (name: string) => () => {
    made.push(name);
    return { name };
  };
  const storage = withLazyStores({ name: "mine" }, { jobs: make("jobs"), uploads: make("uploads") });
  expect(made).toEqual([]);
  expect(storage.jobs).toBe(storage.jobs);
  expect(made).toEqual(["jobs"]);
  expect({ ...storage }).toMatchObject({ name: "mine", jobs: { name: "jobs" }, uploads: { name: "uploads" } });
});

test("a storage says what it keeps before it is used", () => {
  expect(Object.keys(memoryStorage())).toEqual(expect.arrayContaining(["idempotency", "jobs", "webhooks", "deliveries", "subscribers", "uploads"]));
});
