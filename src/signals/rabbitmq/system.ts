import { addressSetting, declareSetting } from '../../core/setting.ts';
import { loginSettings, readHttpReach, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'rabbitmq',
  title: 'RabbitMQ',
  offers: 'queues and how they grew, nodes and their alarms, connections that are blocked',
  settings: {
    rabbitmq_url: addressSetting(
      'Address of the management interface of RabbitMQ, to look at in an investigation.',
      'RABBITMQ_URL',
    ),
    rabbitmq_vhost: declareSetting(
      'text',
      'RabbitMQ virtual host. Absent: all that its user may see.',
      'its name',
      'RABBITMQ_VHOST',
    ),
    ...loginSettings('rabbitmq', 'RabbitMQ'),
    ...tlsSettings('rabbitmq', 'RabbitMQ'),
  },
  async open(values, ports) {
    const { rabbitmq_url: base, rabbitmq_vhost: vhost } = values;
    if (base === undefined) return null;
    const { openRabbitmq } = await import('./rabbitmq.ts');
    const reach = readHttpReach('rabbitmq', values, ports);
    return {
      signals: [openRabbitmq({ clock: ports.clock, base, ...reach, ...(vhost !== undefined && { vhost }) })],
    };
  },
});
