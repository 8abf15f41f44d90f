import type { Routed, WireRequest } from "./stage.js";

/** A place of a request where a text of the client stands. */
export interface Position {
  readonly name: string;
  /** The request with this text there. */
  place(text: string): WireRequest;
}

/** Every header that the core reads; a test compares them with the sources. */
export const readHeaders = [
  "accept",
  "accept-encoding",
  "accept-language",
  "access-control-request-headers",
  "access-control-request-method",
  ":authority",
  "authorization",
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "host",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "last-event-id",
  "origin",
  "prefer",
  "range",
  "sec-fetch-mode",
  "sec-fetch-site",
  "transfer-encoding",
  "tus-resumable",
  "upload-checksum",
  "upload-concat",
  "upload-defer-length",
  "upload-length",
  "upload-metadata",
  "upload-offset",
  "user-agent",
  "x-api-key",
  "x-api-version",
  "x-client-version",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-http-method-override",
  "x-request-id",
  "x-requested-with",
  "x-tenant-id",
] as const;

/** All positions of a request to an operation. */
export function positionsOf(request: WireRequest, routed: Routed): readonly Position[] {
  return [...headerPositions(request), ...targetPositions(request, routed), ...bodyPositions(request)];
}

/** A host hands over the bytes of a header one character each. */
const asBytes = (text: string) => Buffer.from(text).toString("latin1");

function headerPositions(request: WireRequest): readonly Position[] {
  return readHeaders.flatMap((header) => [
    { name: `the header ${header}`, place: (text: string) => ({ ...request, headers: { ...request.headers, [header]: asBytes(text) } }) },
    {
      name: `the header ${header}, after its usual value`,
      place: (text: string) => ({ ...request, headers: { ...request.headers, [header]: `${request.headers[header] ?? "a"}${asBytes(text)}` } }),
    },
    { name: `the header ${header}, decoded`, place: (text: string) => ({ ...request, headers: { ...request.headers, [header]: text } }) },
  ]);
}

/** A lone surrogate has no encoding; a client that sends its three bytes all the same is not UTF-8. */
function encoded(text: string): string {
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : [...Buffer.from(text, "utf16le")].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

function targetPositions(request: WireRequest, { segments }: Routed): readonly Position[] {
  const mark = request.target.indexOf("?");
  const path = mark === -1 ? request.target : request.target.slice(0, mark);
  const query = mark === -1 ? "" : request.target.slice(mark + 1);
  const withQuery = (more: string) => ({ ...request, target: `${path}?${query === "" ? "" : `${query}&`}${more}` });
  const parameters = query.split("&").filter((part) => part.includes("="));
  const variable = segments.flatMap((segment, index) => (segment === null ? [index] : []));
  const at = (index: number, text: string) => {
    const parts = path.split("/");
    parts[index + 1] = text;
    return { ...request, target: `${parts.join("/")}${query === "" ? "" : `?${query}`}` };
  };
  return [
    ...variable.flatMap((index) => [
      { name: `segment ${index}`, place: (text: string) => at(index, encoded(text)) },
      { name: `segment ${index}, not encoded`, place: (text: string) => at(index, text.replace(/[?#]/g, "")) },
    ]),
    { name: "a parameter's name", place: (text) => withQuery(`${encoded(text)}=1`) },
    { name: "a parameter's value", place: (text) => withQuery(`name=${encoded(text)}`) },
    { name: "an operator", place: (text) => withQuery(`name[${encoded(text)}]=a`) },
    { name: "the query, not encoded", place: (text) => withQuery(text.replace(/#/g, "")) },
    ...parameters.map((parameter) => ({
      name: `the value of ${parameter}`,
      place: (text: string) => ({
        ...request,
        target: `${path}?${parameters.map((each) => (each === parameter ? `${each.split("=")[0]}=${encoded(text)}` : each)).join("&")}`,
      }),
    })),
  ];
}

function bodyPositions(request: WireRequest): readonly Position[] {
  const { body } = request;
  if (body === undefined) return [{ name: "a body that is not wanted", place: (text) => ({ ...request, body: text }) }];
  const whole: Position = {
    name: "the body",
    place: (text) => ({ ...request, body: Buffer.concat([Buffer.from(text), Buffer.from([0xc0, 0xaf])]) }),
  };
  const type = request.headers["content-type"] ?? "";
  if (type.includes("json")) return [whole, ...jsonPositions(request, JSON.parse(String(body)))];
  if (type.startsWith("multipart/form-data")) return [whole, ...formPositions(request, String(body))];
  if (type === "text/csv") return [whole, ...csvPositions(request, String(body)), ...linePositions(request)];
  if (request.headers["upload-metadata"] !== undefined) return [whole];
  return [whole];
}

type Path = readonly (string | number)[];

/** Every value, and a member more in every object. */
function jsonPositions(request: WireRequest, value: unknown): readonly Position[] {
  const put = (path: Path, name: string, replace: (text: string, old: unknown) => unknown): Position => ({
    name: `${name} at /${path.join("/")}`,
    place: (text) => ({ ...request, body: JSON.stringify(changed(value, path, (old) => replace(text, old))) }),
  });
  return pathsOf(value, []).flatMap((path) => {
    const values = [put(path, "a value", (text) => text), put(path, "a list", (text) => [text, text])];
    const isObject = (old: unknown): old is object => typeof old === "object" && old !== null && !Array.isArray(old);
    const members = put(path, "a member's name", (text, old) => Object.fromEntries([...Object.entries(isObject(old) ? old : {}), [text, text]]));
    return [...values, members];
  });
}

function pathsOf(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, Array.isArray(value) ? Number(name) : name]))];
}

function changed(value: unknown, [first, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (first === undefined) return change(value);
  if (Array.isArray(value)) return value.map((each, index) => (index === first ? changed(each, rest, change) : each));
  return Object.fromEntries(Object.entries(Object(value)).map(([name, each]) => [name, name === first ? changed(each, rest, change) : each]));
}

function formPositions(request: WireRequest, form: string): readonly Position[] {
  const at = (name: string, find: string, around: (text: string) => string): Position => ({
    name: `${name} of a part`,
    place: (text) => ({ ...request, body: form.replace(find, () => around(text)) }),
  });
  return [
    at("the name", 'name="title"', (text) => `name="${text}"`),
    at("the name, escaped,", 'name="title"', (text) => `name="${text.replace(/["\r\n]/g, (each) => encodeURIComponent(each))}"`),
    at("the filename", 'filename="a.txt"', (text) => `filename="${text}"`),
    at("the filename, escaped,", 'filename="a.txt"', (text) => `filename="${text.replace(/["\r\n]/g, (each) => encodeURIComponent(each))}"`),
    at("the extended filename", 'filename="a.txt"', (text) => `filename*=UTF-8''${encoded(text)}`),
    at("the type", "text/plain", (text) => text),
    at("a header", "content-type: text/plain", (text) => `${text}: ${text}`),
    at("the value", "\r\n\r\nhello", (text) => `\r\n\r\n${text}`),
  ];
}

function csvPositions(request: WireRequest, csv: string): readonly Position[] {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const [header = "", row = ""] = csv.split("\r\n");
  const first = header.split(",")[0] ?? "";
  return [
    { name: "a cell", place: (text) => ({ ...request, body: `${header}\r\n${row.replace(/^[^,]*/, () => quoted(text))}\r\n` }) },
    { name: "a cell without quotes", place: (text) => ({ ...request, body: `${header}\r\n${row.replace(/^[^,]*/, () => text)}\r\n` }) },
    { name: "a column", place: (text) => ({ ...request, body: `${header},${quoted(text)}\r\n${row},a\r\n` }) },
    { name: "a mapped column", place: (text) => ({ ...request, target: withParameter(request.target, `map[${encoded(text)}]=${first}`) }) },
  ];
}

/** The same as NDJSON. */
function linePositions(request: WireRequest): readonly Position[] {
  const lines = (value: unknown) => ({
    ...request,
    headers: { ...request.headers, "content-type": "application/x-ndjson" },
    body: `${JSON.stringify(value)}\n`,
  });
  return [
    { name: "a value of a line", place: (text) => lines({ name: text, text, personId: 1, id: text }) },
    {
      name: "a member of a line",
      place: (text) =>
        lines(
          Object.fromEntries([
            ["name", "a"],
            [text, text],
          ]),
        ),
    },
  ];
}

function withParameter(target: string, parameter: string): string {
  return `${target}${target.includes("?") ? "&" : "?"}${parameter}`;
}

/** Pairs of the metadata of a resumable upload, whose values are base64. */
export function metadataPositions(request: WireRequest): readonly Position[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const withMetadata = (metadata: string) => ({ ...request, headers: { ...request.headers, "upload-metadata": metadata } });
  if (request.headers["upload-metadata"] === undefined) return [];
  return [
    { name: "the filename of the metadata", place: (text) => withMetadata(`filename ${base64(text)}`) },
    { name: "the type of the metadata", place: (text) => withMetadata(`filetype ${base64(text)}`) },
    { name: "another value of the metadata", place: (text) => withMetadata(`note ${base64(text)}`) },
    { name: "a key of the metadata", place: (text) => withMetadata(`${Buffer.from(text).toString("latin1")} ${base64(text)}`) },
  ];
}
