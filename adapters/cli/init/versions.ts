/** The packages that a project may need, in the versions that this release is tested with. A test compares them with `package.json`. */
export const versions = {
  "@hono/node-server": "^2.1.8",
  "@types/express": "^5.0.6",
  "@types/koa": "^3.0.3",
  "@types/koa-mount": "^4.0.5",
  "@types/node": "^20.19.43",
  express: "^5.3.0",
  fastify: "^5.12.8",
  hono: "^4.13.19",
  koa: "^3.3.0",
  "koa-mount": "^4.2.0",
  libsql: "^0.5.29",
  pg: "^8.23.1",
  pino: "^10.4.0",
  tsx: "^4.23.15",
  typescript: "^7.0.2",
  zod: "^4.6.7",
} as const;

export type PackageName = keyof typeof versions;
