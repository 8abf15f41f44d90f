import type { Types } from "./typed.js";

/** The test of a project's collection. */
export function testFile(types: Types): string {
  return `import assert from "node:assert/strict";
import { after, test } from "node:test";
import { pino } from "pino";
import { memoryStorage } from "restwright/memory";
import { createApi } from "../src/api.js";

const logger = pino({ level: "silent" });
const api = createApi({ storage: memoryStorage(), logger });
after(() => api.close());

test("a task is created, changed and found", async () => {
  const created = await send("POST", "/tasks", { title: "Write a test" });
  assert.equal(created.status, 201);
  const path = created.headers.get("location") ?? "";

  const changed = await send("PATCH", path, { isDone: true });
  assert.equal(changed.status, 200);

  const found = await send("GET", "/tasks?isDone=true&fields=title");
  const { data } = ${types("(")}await found.json()${types(") as { data: unknown }")};
  assert.deepEqual(data, [{ title: "Write a test" }]);
});

test("a task without a title is refused", async () => {
  const refused = await send("POST", "/tasks", { isDone: true });
  assert.equal(refused.status, 422);
});

/** Sends a request through the whole API, without a socket. */
function send(method${types(": string")}, path${types(": string")}, body${types("?: object")}) {
  const init = body && {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
  return api.fetch(new Request(\`http://test\${path}\`, { method, ...init }));
}
`;
}
