import type { FastifyInstance } from "fastify";
import { SignJWT } from "jose";
import type { Service } from "restwright";
import { clientScript } from "../shop/clientScript.js";
import { pageApp, pageFiles } from "../shop/page.js";
import { people } from "./service.js";

const files = pageFiles(import.meta.url, ["index.html", "page.css", "icon.svg", "page.js"]);

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
