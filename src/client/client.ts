import type { IsRead, Recorded } from "./calls/batch.js";
import { more, resourceCalls } from "./collection.js";
import { type ClientOptions, checkOptions, clientChoices, clientNames } from "./options.js";
import { createTransport, type Send } from "./transport/transport.js";
import { isOfClass } from "./transport/transportErrors.js";
import { transportKey } from "./transport/transportOf.js";

type Members = Readonly<Record<string, unknown>>;
type Method = (...given: never[]) => unknown;

/** Names that JavaScript itself asks for: whoever awaits or prints a client calls nothing. */
const asked = ["then", "toJSON"];

/** An object whose other members are made when they are asked for. */
function withMembers(known: object, make: (name: string) => unknown): Members {
  const made = new Map<string, unknown>();
  return new Proxy(known, {
    get(target, name) {
      if (typeof name !== "string" || name in target || asked.includes(name)) return Reflect.get(target, name);
      if (!made.has(name)) made.set(name, make(name));
      return made.get(name);
    },
  }) as Members;
}

/** Records operations until they are sent. */
function startBatch(send: Send, isRead: IsRead): Members {
  const recorded: Recorded[] = [];
  // In a body a reference is an object, in a path a text between NULs.
  const reference = ($result: string): Members =>
    withMembers({ $result, toString: () => `\0${$result}\0` }, (name) => reference(`${$result}.${name}`));
  const record = (collection: string, method: string, given: readonly unknown[]) => {
    const index = recorded.push({ collection, method, given }) - 1;
    return { index, data: reference(`op${index + 1}.data`) };
  };
  const methods = { send: async (options: object = {}) => (await more()).sendBatch(send, recorded, options, resourceCalls, isRead) };
  return withMembers(methods, (collection) =>
    withMembers(
      {},
      (method) =>
        (...given: readonly unknown[]) =>
          record(collection, method, given),
    ),
  );
}

/** The client without its types. */
export function makeClient(options: ClientOptions): Members {
  if (typeof options?.baseUrl !== "string") throw new TypeError('createClient needs "baseUrl".');
  checkOptions("createClient", options, clientNames, clientChoices);
  const send = createTransport(options);
  const isRead: IsRead = (name, method) => options.reads?.[name]?.includes(method) === true;
  const collection = (name: string) => {
    const { action, ...calls } = resourceCalls(send, name);
    return withMembers(calls, (method) => action(method, isRead(name, method)));
  };
  const webhooks = withMembers({}, (method) => async (...given: never[]) => {
    const calls: Readonly<Record<string, Method | undefined>> = (await more()).webhookCalls(send, resourceCalls);
    return calls[method]?.(...given);
  });
  const methods = {
    collection,
    webhooks,
    batch: () => startBatch(send, isRead),
    isError: (error: unknown) => isOfClass(error, "ApiError"),
    [transportKey]: { send, baseUrl: options.baseUrl },
  };
  return withMembers(methods, collection);
}
