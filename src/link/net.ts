/** One connection that carries whole messages, in order. */
export interface LinkSocket {
  /** Bytes that were sent, but not yet handed to the operating system. */
  readonly bufferedBytes: number;
  /** @param message its bytes are valid until this returns. No effect once the connection has ended. */
  send(message: Uint8Array): void;
  /** Ends the connection at once, with what is not sent yet. `closed` follows, perhaps before it returns. */
  end(): void;
}

export interface SocketEvents {
  /** @param message nobody changes it afterwards */
  message(message: Uint8Array): void;
  /** Fewer bytes are buffered than before. */
  drained(): void;
  /** Whoever has ended it. Called once; nothing else is called afterwards. */
  closed(reason: string): void;
}

export interface DialEvents extends SocketEvents {
  opened(): void;
}

/** What connections are made with: WebSockets, or a double in tests. */
export interface LinkNet {
  /** Throws if it cannot listen. */
  listen(accept: (socket: LinkSocket) => SocketEvents): LinkListener;
  /** The events begin after it has returned. */
  dial(url: string, events: DialEvents): LinkSocket;
}

export interface LinkListener {
  /** Where others dial. */
  readonly url: string;
  /** Ends all its connections too. */
  close(): void;
}

/** Certificate and key of this node. */
export interface LinkTls {
  certFile: string;
  keyFile: string;
  /**
   * Who signs the certificates of the nodes, whose names are checked then. Without it all nodes have the
   * same certificate, whatever their names are.
   */
  caFile?: string | undefined;
}

export interface WebSocketOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  tls?: LinkTls | undefined;
}
