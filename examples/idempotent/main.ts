import { createApp } from "./app.js";
import { Provider } from "./provider.js";

const port = Number(process.env["PORT"] ?? 3000);
createApp(new Provider()).listen(port, "127.0.0.1", () => console.log(`Charge a card at http://127.0.0.1:${port}/charges`));
