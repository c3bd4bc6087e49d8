import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Note } from '../../common/states.tsx';
import { capitalised, carName, inSentence, sentence } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import type { Offer } from '../page/demonstration.ts';
import { consequenceOf, placeAhead, placeOf } from '../stakes.ts';

/** Invites to see what a feature is for, and leads through it. It does not block the page. */
export function DemonstrationCard() {
  const viewer = useViewer();
  const { demonstration } = viewer;
  const phase = demonstration.phase.value;
  if (viewer.live.status.value === 'gone' || !viewer.isLive.value) return null;
  switch (phase.name) {
    case 'closed':
      return null;
    case 'invitation':
      return (
        <Card title="Switch off a car’s safety features" actions={<Invitation />}>
          <p>See what happens, and what would have saved it.</p>
          <p class="small soft">A simulated city, and twenty cars that drive themselves.</p>
        </Card>
      );
    case 'looking':
      return (
        <Card title="Looking around the city…">
          <p class="soft">Which car will need which feature in the next minute?</p>
        </Card>
      );
    case 'failed':
      return (
        <Card title="Nothing to show just now" actions={<Another words="Look again" />}>
          <p>{phase.why}</p>
        </Card>
      );
    case 'offer':
      return <OfferCard offer={phase.offer} />;
    case 'passed':
      return (
        <Card title="That moment has passed" actions={<Another words="Show me another" />}>
          <p>
            {carName(phase.offer.car)} kept its {inSentence(phase.offer.feature)}. The next moment
            is never far.
          </p>
        </Card>
      );
    case 'waiting':
      return <WaitingCard offer={phase.offer} />;
    case 'nothing':
      return (
        <Card title="It went well this time" actions={<After offer={phase.offer} />}>
          <p>
            {carName(phase.offer.car)} got past {placeOf(phase.offer)} without its{' '}
            {inSentence(phase.offer.feature)}.
          </p>
        </Card>
      );
    case 'told':
      return (
        <Card title={`That came of it`} actions={<After offer={phase.offer} />}>
          <p>{sentence(phase.event.message)}</p>
        </Card>
      );
  }
}

function OfferCard({ offer }: { offer: Offer }) {
  const { demonstration } = useViewer();
  const name = inSentence(offer.feature);
  const leftS = demonstration.leftS.value ?? offer.time;
  return (
    <Card
      title={capitalised(placeAhead({ ...offer, distance: offer.pace * leftS }))}
      actions={
        <>
          <Another words="Another one" />
          <Button
            kind="main"
            size="small"
            disabled={!demonstration.isSettled.value}
            onClick={() => demonstration.switchOff()}
          >
            Switch off {name}
          </Button>
        </>
      }
    >
      <p>
        {carName(offer.car)} is there in <Seconds />. With its {name} it gets past; without,{' '}
        {consequenceOf(offer)}.
      </p>
      <Purpose name={offer.feature} />
    </Card>
  );
}

/** What a feature does, for those who have never heard of it. */
function Purpose({ name }: { name: string }) {
  const feature = useViewer().catalogue.value.find((each) => each.name === name);
  if (feature === undefined) return null;
  return <p class="small soft">{feature.description}</p>;
}

function WaitingCard({ offer }: { offer: Offer }) {
  const { demonstration } = useViewer();
  const left = demonstration.leftS.value ?? 0;
  return (
    <Card
      title={left > 0 ? `${capitalised(placeOf(offer))} in ${left} s` : 'Now…'}
      actions={
        <Button kind="quiet" size="small" onClick={() => demonstration.switchOn()}>
          Switch {inSentence(offer.feature)} on again
        </Button>
      }
    >
      <p>
        {carName(offer.car)} drives without its {inSentence(offer.feature)}.
      </p>
    </Card>
  );
}

function Seconds() {
  const { demonstration } = useViewer();
  return <strong>{demonstration.leftS.value ?? '–'} s</strong>;
}

function Invitation() {
  const { demonstration } = useViewer();
  return (
    <>
      <Button kind="quiet" size="small" onClick={() => demonstration.close()}>
        Just look
      </Button>
      <Button kind="main" onClick={() => demonstration.begin()}>
        Show me
      </Button>
    </>
  );
}

function Another({ words }: { words: string }) {
  const { demonstration } = useViewer();
  return (
    <>
      <Button kind="quiet" size="small" onClick={() => demonstration.close()}>
        Close
      </Button>
      <Button
        size="small"
        disabled={!demonstration.isSettled.value}
        onClick={() => demonstration.begin()}
      >
        {words}
      </Button>
    </>
  );
}

/** What the visitor switched off and may want on again, once something has come of it. */
export function StillOff() {
  const { demonstration } = useViewer();
  const offer = demonstration.off.value;
  if (offer === null) return null;
  const name = inSentence(offer.feature);
  return (
    <Note kind="warn">
      <p>
        {carName(offer.car)} is still without its {name}.
      </p>
      <Button size="small" onClick={() => demonstration.switchOn()}>
        Switch {name} on again
      </Button>
    </Note>
  );
}

function After({ offer }: { offer: Offer }) {
  const { demonstration } = useViewer();
  return (
    <>
      <Button kind="quiet" size="small" onClick={() => demonstration.switchOn()}>
        Switch {inSentence(offer.feature)} on again
      </Button>
      <Button kind="main" size="small" onClick={() => demonstration.begin()}>
        Another one
      </Button>
    </>
  );
}

interface CardProps {
  title: string;
  children: ComponentChildren;
  actions?: ComponentChildren;
}

function Card({ title, children, actions }: CardProps) {
  const { name } = useViewer().demonstration.phase.value;
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone: without this, keyboard users would start at the top.
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (isLost && name !== 'invitation') heading.current?.focus();
  }, [name]);
  return (
    <section class="demonstration" aria-labelledby="demonstration-title">
      <h2 id="demonstration-title" ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
      {actions === undefined ? null : <div class="demonstration-actions">{actions}</div>}
    </section>
  );
}
