import type { FastifyInstance } from "fastify";
import { SignJWT } from "jose";
import type { Service } from "restwright";
import { type PageFile, pageApp } from "../shop/page.js";
import { clientScript } from "./clientScript.js";
import { people } from "./service.js";

const fileOf = (path: string, name: string, type: PageFile["type"]): PageFile => ({ path, file: new URL(`page/${name}`, import.meta.url), type });

const files = [
  fileOf("/", "index.html", "html"),
  fileOf("/page.css", "page.css", "css"),
  fileOf("/icon.svg", "icon.svg", "svg"),
  fileOf("/page.js", "page.js", "js"),
];

/** The page at `/`, the service below `/api`, and `POST /login`. @param secret signs the tokens, at least 32 characters */
export async function createApp(service: Service, secret: string): Promise<FastifyInstance> {
  const app = await pageApp(service, [...files, { path: "/client.js", text: await clientScript(), type: "js" }]);
  // A demo: whoever names a person gets its token. An application asks for a password, or leaves this to an identity provider.
  app.post("/login", async ({ body }, reply) => {
    const { name } = Object(body) as { readonly name?: unknown };
    if (typeof name !== "string" || !people.includes(name)) return reply.code(401).send({ detail: "Nobody has this name." });
    const token = new SignJWT().setProtectedHeader({ alg: "HS256" }).setSubject(name).setIssuer("notes").setAudience("notes");
    return { token: await token.setExpirationTime("8h").sign(new TextEncoder().encode(secret)) };
  });
  return app;
}
