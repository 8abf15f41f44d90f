import type { ShownOperation } from "../reading/operations.js";
import { exampleOf } from "./bodies.js";
import type { View } from "./view.js";

/** What the client sends as JSON. */
const jsonTypes = ["application/json", "application/merge-patch+json"];

/** The call of `restwright/client` that sends the request of an operation; `undefined` if it has none. */
export function clientCall(view: View, { id, method, path, body }: ShownOperation): string | undefined {
  const [collection = "", kind = "", ...more] = id.split(".");
  const isKnown = Object.hasOwn(view.book.spec.components?.["x-restwright-collections"] ?? {}, collection);
  if (!isKnown || more.length > 0 || !/^\w+$/.test(collection)) return undefined;
  const [type, media] = Object.entries(body?.content ?? {}).find(([each]) => jsonTypes.includes(each)) ?? [];
  const input = (type && media && exampleOf(view, type, media, "request")) ?? "";
  const call = (name: string, ...args: readonly string[]) => `await client.${collection}.${name}(${args.filter((arg) => arg !== "").join(", ")});`;
  switch (kind) {
    case "list":
      return `const { data, meta } = ${call("list", "{ perPage: 20 }")}`;
    case "read":
      return `const row = ${call("get", "id")}`;
    case "create":
      return `const row = ${call("create", input)}`;
    case "replace":
      return `const row = ${call("replace", "id", input)}`;
    case "update":
      return `const row = ${call("update", "id", input)}`;
    case "remove":
      return call("remove", "id");
    case "import":
      return `const job = ${call("import", "file")}\nconst result = await job.result();`;
    case "export":
      return `for await (const row of client.${collection}.export()) console.log(row);`;
    default:
      return isAction(method, path, kind) ? `const result = ${call(kind, path.includes("{") ? "id" : "", input)}` : undefined;
  }
}

/** Actions have the name of the last segment of their path. */
function isAction(method: string, path: string, kind: string): boolean {
  return (method === "POST" || method === "GET") && path.split("/").at(-1) === kind && /^\w+$/.test(kind);
}
