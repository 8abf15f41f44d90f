import { createHash } from "node:crypto";
import type { Capability, HttpResponse, Operation } from "restwright";
import { selectType } from "restwright/negotiation";

/** Pages and collections that the first address leads to. */
const links = { docs: "/docs", openapi: "/openapi.json", users: "/users", orders: "/orders", products: "/products", health: "/health" };

const style = `:root{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif}
body{max-width:36rem;margin:12vh auto;padding:0 1.5rem}
h1{margin:0}
ul{padding:0;list-style:none}
a{display:inline-block;min-height:1.6rem;color:light-dark(#0b5cad,#7cb8f5)}
p a{padding:.6rem 1.2rem;border:1px solid;border-radius:.5rem;text-decoration:none}`;

const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Answers at `/`: a page that leads to the docs for browsers, names and addresses for programs. */
export function home(): Capability {
  return { name: "home", open: () => ({ routes: [{ segments: [""], operations: [readHome] }] }) };
}

const readHome: Operation = {
  name: "home.read",
  method: "GET",
  answers: "other",
  vary: "Accept",
  description: {
    summary: "Where everything is",
    tag: "service",
    answers: [
      {
        status: 200,
        text: "The name of the service, and addresses.",
        headers: ["Content-Security-Policy"],
        bodies: [
          {
            mediaType: "application/json",
            schema: { type: "object", required: ["name", "links"], properties: { name: { type: "string" }, links: { type: "object" } } },
          },
          { mediaType: "text/html", schema: { type: "string" } },
        ],
      },
    ],
    codes: ["MALFORMED_HEADER"],
  },
  async run({ request, headers }): Promise<HttpResponse> {
    const at = (path: string) => relativeAddress(request.mount, path);
    if (selectType(headers.get("accept"), ["application/json", "text/html"]) === "text/html") {
      return { status: 200, headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy }, body: pageOf(at) };
    }
    const addresses = Object.fromEntries(Object.entries(links).map(([name, path]) => [name, at(path)]));
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ name: "shop", links: addresses }) };
  },
};

/**
 * The address of a path of the service, relative to this page: a proxy may add a prefix that the service does not know. It goes up to before the mount and down again, so
 * that it also holds for `/v1` without a slash at its end. The mount is what the developer configured; clients cannot choose it.
 */
function relativeAddress(mount: string, path: string): string {
  return `${"../".repeat(mount.split("/").length - 1)}${`${mount}${path}`.slice(1)}`;
}

function pageOf(at: (path: string) => string): string {
  const { docs, ...others } = links;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Shop</h1>
<p>An example service of restwright: users, their orders and payments, and products.</p>
<p><a href="${at(docs)}">Documentation</a></p>
<ul>
${Object.entries(others)
  .map(([name, path]) => `<li><a href="${at(path)}">${name}</a></li>`)
  .join("\n")}
</ul>
</main>
</body>
</html>
`;
}
