import { type Content, type Html, html } from "../html/html.js";
import type { ShownOperation } from "../reading/operations.js";
import { sampleOf } from "../reading/sample.js";
import { exampleOf } from "./bodies.js";
import { clientCall } from "./clientCall.js";
import type { View } from "./view.js";

/** What a request needs, as the snippets show it. */
export interface SampleRequest {
  /** With values for the variables. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON. */
  readonly body: string | undefined;
  /** The body is of another kind. */
  readonly sendsFile: boolean;
}

const placeholder = "https://api.example.com";

/** The request of an operation as `curl`, as `fetch` and as a call of the client. */
export function snippets(view: View, operation: ShownOperation): Html {
  const request = sampleRequest(view, operation);
  const call = clientCall(view, operation);
  const shown = [
    ["curl", curl(view, operation, request)],
    ["fetch", fetchCall(view, operation, request)],
    ...(call === undefined ? [] : [["client", call] as const]),
  ] as const;
  // One of them is open at a time, without a script too.
  return html`<div class="snippets"><h4>Request</h4>${shown.map(
    (
      [name, code],
      index,
    ) => html`<details name="request ${operation.id}"${index === 0 && html` open`}><summary>${name}</summary><pre><code>${code}</code></pre></details>
`,
  )}</div>`;
}

function sampleRequest(view: View, { path, parameters, body, security = [] }: ShownOperation): SampleRequest {
  const { spec } = view.book;
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    return encodeURIComponent(String(parameter?.example ?? sampleOf(spec, parameter?.schema ?? { type: "string" }, "request"))).replaceAll(
      "%2C",
      ",",
    );
  });
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? [];
  const required = parameters.filter((parameter) => parameter.in === "header" && parameter.required === true);
  const json = type === undefined || media === undefined ? undefined : exampleOf(view, type, media, "request");
  return {
    path: filled,
    headers: [
      ...credentials(view, security),
      ...(type === undefined ? [] : [["Content-Type", type] as const]),
      ...required.map(({ name, schema }) => [name, String(sampleOf(spec, schema, "request"))] as const),
    ],
    body: json,
    sendsFile: type !== undefined && json === undefined,
  };
}

/** The header of the first scheme that an operation accepts. */
function credentials({ book: { spec } }: View, security: NonNullable<ShownOperation["security"]>): SampleRequest["headers"] {
  const [first] = security.flatMap((alternative) => Object.keys(alternative));
  const scheme = first === undefined ? undefined : spec.components?.securitySchemes?.[first];
  if (scheme?.type === "http")
    return [["Authorization", `${scheme.scheme === "basic" ? "Basic" : scheme.scheme === "bearer" ? "Bearer" : (scheme.scheme ?? "")} CREDENTIALS`]];
  return scheme?.type === "apiKey" && scheme.in === "header" && scheme.name !== undefined ? [[scheme.name, "CREDENTIALS"]] : [];
}

/** The script replaces it by the address of the page. */
function base({ book: { spec } }: View): Content {
  const server = spec.servers?.find(({ url }) => /^https?:/.test(url))?.url.replace(/\/$/, "");
  return server ?? html`<span data-base>${placeholder}</span>`;
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curl(view: View, { method }: ShownOperation, { path, headers, body, sendsFile }: SampleRequest): Content {
  const lines = [
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? (sendsFile ? ["--data-binary @file"] : []) : [`-d ${quoted(body)}`]),
  ];
  return ["curl ", method !== "GET" && `-X ${method} `, "'", base(view), path.replaceAll("'", "%27"), "'", lines.map((line) => ` \\\n  ${line}`)];
}

function fetchCall(view: View, { method }: ShownOperation, { path, headers, body, sendsFile }: SampleRequest): Content {
  const options = [
    ...(method === "GET" ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: ${JSON.stringify(Object.fromEntries(headers), undefined, 2).replaceAll("\n", "\n  ")},`]),
    ...(body === undefined ? (sendsFile ? ["  body: file,"] : []) : [`  body: JSON.stringify(${body.replaceAll("\n", "\n  ")}),`]),
  ];
  const address = [`"`, base(view), JSON.stringify(path).slice(1)];
  return ["const response = await fetch(", address, options.length > 0 && `, {\n${options.join("\n")}\n}`, ");"];
}
