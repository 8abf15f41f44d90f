import { type Capability, createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

/** A capability that notes when it is asked to wrap something, and when what it wrapped is called. */
function recorder(name: string, seen: string[]): Capability {
  return {
    name,
    wrap({ storage, onError }) {
      seen.push(`wrap ${name}`);
      return {
        storage: {
          ...storage,
          collection(model) {
            seen.push(`collection ${name}`);
            return storage.collection(model);
          },
        },
        onError(error, request) {
          seen.push(`fault ${name}`);
          onError?.(error, request);
        },
      };
    },
    open: ({ find }) => ({
      wrapHandle: (handle) => async (request) => {
        seen.push(`request ${name} ${find(request.method, request.path)?.endpoint.route}`);
        const response = await handle(request);
        seen.push(`response ${name} ${response?.status}`);
        return response;
      },
    }),
  };
}

test("the first capability in use is the outermost, for parts and for requests", async () => {
  const seen: string[] = [];
  const onError = () => seen.push("fault of the developer");
  const storage = memoryStorage();
  const service = createService({ resources: [notes], storage, use: [recorder("a", seen), recorder("b", seen)], logger: false, onError });
  onTestFinished(() => service.close());
  expect(seen).toEqual(["wrap b", "wrap a", "collection a", "collection b"]);
  seen.length = 0;
  await clientOf(service)({ target: "/notes/7" });
  expect(seen).toEqual(["request a /notes/{id}", "request b /notes/{id}", "response b 404", "response a 404"]);
});

test("what wraps onError sees every fault, and the developer's own still does", async () => {
  const seen: string[] = [];
  const failing: Capability = {
    name: "failing",
    open: () => ({
      routes: [{ segments: ["failing"], operations: [{ name: "failing", method: "GET", run: () => Promise.reject(new Error("no")) }] }],
    }),
  };
  const onError = () => seen.push("fault of the developer");
  const use = [recorder("a", seen), failing];
  const service = createService({ resources: [notes], storage: memoryStorage(), use, logger: false, onError });
  onTestFinished(() => service.close());
  expect((await clientOf(service)({ target: "/failing" })).status).toBe(500);
  expect(seen.filter((line) => line.startsWith("fault"))).toEqual(["fault a", "fault of the developer"]);
});

test("a path that the service does not serve stays undefined through a wrapper", async () => {
  const seen: string[] = [];
  const service = createService({ resources: [notes], storage: memoryStorage(), use: [recorder("a", seen)], logger: false });
  onTestFinished(() => service.close());
  await expect(clientOf(service)({ target: "/other" })).rejects.toThrow("No route");
  expect(seen.slice(-2)).toEqual(["request a undefined", "response a undefined"]);
});
